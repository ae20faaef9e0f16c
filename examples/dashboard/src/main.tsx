import { render } from "preact";
import { setSignedOutListener } from "./api/call.js";
import { refreshSite, watchSession } from "./api/site-calls.js";
import { App } from "./app.js";
import { watchDemoLink } from "./demo-token.js";
import "./styles/all.css";

watchDemoLink(() => void refreshSite());
setSignedOutListener(() => void refreshSite());
watchSession();
void refreshSite();
const root = document.getElementById("app");
if (root) render(<App />, root);
