import { trace } from "@opentelemetry/api";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { expect, it, onTestFinished } from "vitest";
import { findTracer } from "./find-tracer.js";

it("returns a tracer once a provider is registered, and none before", () => {
  expect(findTracer()).toBeUndefined();
  onTestFinished(() => trace.disable());
  trace.setGlobalTracerProvider(new BasicTracerProvider());
  expect(findTracer()).toBeDefined();
});
