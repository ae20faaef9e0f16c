// Applies the saved theme before the first paint. Without one, the system's theme applies.
const chosen = localStorage.getItem("theme");
if (chosen) document.documentElement.dataset.theme = chosen;
