// Owns the data that a decision about a graph reads: what the host loaded, overlaid with what the decision itself has
// settled. One decision may settle a step, choose a route and open the next step, which must see the first one's data.

import type { Ref } from '../base/digest.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { hasResult } from '../definition/outcome.ts';
import { joiningData, mergedBy, type RunEvent } from './event.ts';
import type { Facts } from './program.ts';
import type { RunState } from './run-state.ts';

/** What the host loaded, overlaid with what the current decision has settled. Values are read only when asked for. */
export class DecisionFacts implements Facts {
  private readonly loaded: Facts;
  private readonly merged: { readonly event: RunEvent; readonly data: Ref }[] = [];
  private readonly outputs = new Map<string, Ref | undefined>();

  constructor(loaded: Facts) {
    this.loaded = loaded;
  }

  /** Adds the data that an event merges, and the result of the step that it ends. */
  note(event: RunEvent, live: RunState['live']): void {
    const data = mergedBy(event);
    if (data !== undefined) this.merged.push({ event, data });
    if (event.type !== 'step.settled' || !hasResult(event.outcome)) return;
    const activation = live[event.path];
    if (activation !== undefined && activation.member === undefined) this.outputs.set(activation.step, event.output);
  }

  data(key: string): Json | undefined {
    for (const { event, data } of this.merged.toReversed()) {
      const joined = joiningData(event, this.loaded.value(data));
      if (Object.hasOwn(joined, key)) return joined[key];
    }
    return this.loaded.data(key);
  }

  output(step: string): Json | undefined {
    if (!this.outputs.has(step)) return this.loaded.output(step);
    const ref = this.outputs.get(step);
    return ref === undefined ? null : this.loaded.value(ref);
  }

  get params(): JsonObject {
    return this.loaded.params;
  }

  value(ref: Ref): Json {
    return this.loaded.value(ref);
  }

  keep(value: Json): Ref | undefined {
    return this.loaded.keep(value);
  }
}
