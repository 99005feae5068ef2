// Owns what a decision sees: what the host loaded before it, with what the decision itself has settled laid over. One
// decision may settle a step, choose the way on and open the next step, which must see the first one's data.

import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { StepModel } from '../definition/model.ts';
import type { Path, Ref } from './activation.ts';
import type { MemberResult, View } from './program.ts';

/** The host's view with the facts of the decision in the making over it. Values are read only when asked for. */
export class TurnView implements View {
  private readonly loaded: View;
  private readonly merged: Ref[] = [];
  private readonly outputs = new Map<string, Ref | undefined>();

  constructor(loaded: View) {
    this.loaded = loaded;
  }

  /** Takes in data that was merged. */
  noteData(patch: Ref): void {
    this.merged.push(patch);
  }

  /** Takes in the result of a step. */
  noteResult(step: string, output: Ref | undefined): void {
    this.outputs.set(step, output);
  }

  get params(): JsonObject {
    return this.loaded.params;
  }

  data(key: string): Json | undefined {
    for (const ref of this.merged.toReversed()) {
      const patch = this.loaded.value(ref);
      if (isJsonObject(patch) && Object.hasOwn(patch, key)) return patch[key];
    }
    return this.loaded.data(key);
  }

  output(step: string): Json | undefined {
    if (!this.outputs.has(step)) return this.loaded.output(step);
    const ref = this.outputs.get(step);
    return ref === undefined ? null : this.loaded.value(ref);
  }

  value(ref: Ref): Json {
    return this.loaded.value(ref);
  }

  members(group: Path): readonly MemberResult[] {
    return this.loaded.members(group);
  }

  slots(step: StepModel): readonly string[] {
    return this.loaded.slots(step);
  }

  get holding(): boolean {
    return this.loaded.holding;
  }

  keep(value: Json): Ref | undefined {
    return this.loaded.keep(value);
  }
}
