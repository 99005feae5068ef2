// Owns the keys under which a run counts: visits of steps, uses of edges, jumps of people and events. They are stored with
// runs, so they do not change. A step's name contains neither `:` nor `@`, so that its visits are counted under it alone.

/** The jumps that people and events made. */
export const JUMPS = '@goto';

const NO_STEP = /[:@]/;

/** The edge that an outcome takes, or any other key of a step's transitions; with a condition, the one for its value. */
export function edgeKey(step: string, way: string, value?: boolean): string {
  return value === undefined ? `${step}:${way}` : `${step}:${way}:${value}`;
}

/** How often a rule for events sent the run back. */
export function eventKey(rule: number): string {
  return `@event:${rule}`;
}

/** Whether the visits of a step are counted under the key. */
export function isStepKey(key: string): boolean {
  return !NO_STEP.test(key);
}
