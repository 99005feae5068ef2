// Owns what authors write for the check `webhook`, as types: a request, and how its answer is judged.

import type { DataOrFunction, TextOrFunction, TextsOrFunction } from '../../../../authoring/spec/part.ts';

/** A request, and how its answer is judged. */
export interface WebhookCheckFields<C> {
  readonly url: TextOrFunction<C>;
  readonly method?: string;
  readonly headers?: TextsOrFunction<C>;
  readonly body?: DataOrFunction<C>;
  /** An expression over `status`, `headers` and `body`; without it, any 2xx. */
  readonly expect?: string;
}
