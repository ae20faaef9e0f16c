import { render } from "preact";
import { refreshSite } from "./api/account-calls.js";
import { setSignedOutListener } from "./api/call.js";
import { App } from "./app.js";
import { watchDemoLink } from "./demo-token.js";
import "./styles/all.css";

watchDemoLink(() => void refreshSite());
setSignedOutListener(() => void refreshSite());
void refreshSite();
const root = document.getElementById("app");
if (root) render(<App />, root);
