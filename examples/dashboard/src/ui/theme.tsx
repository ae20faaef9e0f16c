import { useState } from "preact/hooks";
import * as shellText from "../text/shell.js";
import { Segments } from "./parts.js";

type Theme = "system" | "light" | "dark";
const read = (): Theme => (localStorage.getItem("theme") as Theme | null) ?? "system";

/** Lets the user choose a light, dark or system theme. `theme.js` applies the choice before the first paint. */
export function ThemeChoice() {
  const [theme, setTheme] = useState(read);
  const choose = (chosen: Theme) => {
    setTheme(chosen);
    if (chosen === "system") {
      localStorage.removeItem("theme");
      delete document.documentElement.dataset["theme"];
    } else {
      localStorage.setItem("theme", chosen);
      document.documentElement.dataset["theme"] = chosen;
    }
    dispatchEvent(new Event("themechange"));
  };
  return (
    <Segments
      label={shellText.theme}
      options={[
        ["system", shellText.system],
        ["light", shellText.light],
        ["dark", shellText.dark],
      ]}
      chosen={theme}
      onChoose={choose}
    />
  );
}
