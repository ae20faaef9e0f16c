export { type ExpressHandlers, toExpressHandler } from "./express-handler.js";
