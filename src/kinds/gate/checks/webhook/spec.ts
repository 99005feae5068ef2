// Owns the author-facing types of the check `webhook`: a request, and the condition under which it passes.

import type { DataOrFunction, TextOrFunction, TextsOrFunction } from '../../../../authoring/spec/part.ts';

/** A request, and the condition under which it passes. */
export interface WebhookCheckFields<C> {
  readonly url: TextOrFunction<C>;
  readonly method?: string;
  readonly headers?: TextsOrFunction<C>;
  readonly body?: DataOrFunction<C>;
  /** An expression over `status`, `headers` and `body`; without it, any 2xx. */
  readonly expect?: string;
}
