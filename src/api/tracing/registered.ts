// Checks whether the application has registered OpenTelemetry, without loading anything of it: without it, tracing
// costs one look at a global.

import type { ContextManager, TracerProvider } from '@opentelemetry/api';

/** What the application registered. Without a context manager, spans are right and code inside a step sees no span. */
export interface RegisteredTelemetry {
  readonly trace: TracerProvider;
  readonly context?: ContextManager;
}

/**
 * Returns what the application registered with its own copy of `@opentelemetry/api` 1.x. It is read from the place that
 * all copies share, because a copy refuses to hand it to a newer copy, such as the one in this package.
 */
export function registeredTelemetry(): RegisteredTelemetry | undefined {
  const api = (globalThis as { readonly [SHARED]?: Partial<RegisteredTelemetry> })[SHARED];
  return api?.trace === undefined ? undefined : (api as RegisteredTelemetry);
}

const SHARED: unique symbol = Symbol.for('opentelemetry.js.api.1') as never;
