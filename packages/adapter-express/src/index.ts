export { toExpressHandler } from "./express-handler.js";
