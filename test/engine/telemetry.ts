// Owns a registered OpenTelemetry SDK for tests: spans are kept in memory.

import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, type ContextManager, context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

const contexts = (): ContextManager => {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (given, work, ...[self, ...words]) => storage.run(given, () => work.apply(self as never, words as never)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
};

/** Registers an SDK until `close`; more processors see the spans first. */
export function registerTelemetry(...processors: readonly SpanProcessor[]) {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [...processors, new SimpleSpanProcessor({ exporter })] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(contexts());
  return {
    spans: (): ReadableSpan[] => exporter.getFinishedSpans(),
    named: (name: string): ReadableSpan[] => exporter.getFinishedSpans().filter((span) => span.name === name),
    close(): void {
      trace.disable();
      context.disable();
    },
  };
}
