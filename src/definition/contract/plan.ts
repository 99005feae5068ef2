// Owns plans: what `plan.json` must look like, and that its parts refer to each other. Decisions lead to intents, intents
// belong to milestones, and changes implement intents. Everything here is pure: a plan in, its faults out.
//
// - Every id is unique, and every referenced id exists.
// - Nothing is unconnected: a change has an intent, an intent a decision and a milestone, a milestone acceptance criteria.

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { isText } from '../kind.ts';

/** A requirement of a plan. */
export interface PlanRequirement {
  readonly id: string;
  readonly text: string;
}

/** A choice, and the reasons for it. */
export interface PlanDecision {
  readonly id: string;
  readonly decision: string;
  readonly because: string;
  readonly rejected?: readonly { readonly option: string; readonly because: string }[];
}

/** A state of the project that can be shipped and checked. */
export interface PlanMilestone {
  readonly id: string;
  readonly title: string;
  /** What can be observed when it is reached. */
  readonly acceptance: readonly string[];
  /** Milestones that come first. */
  readonly after?: readonly string[];
}

/** What will be different. */
export interface PlanIntent {
  readonly id: string;
  readonly milestone: string;
  /** The decisions that it follows from. */
  readonly decisions: readonly string[];
  readonly what: string;
  /** The requirements that it meets. */
  readonly requirements?: readonly string[];
  readonly files?: readonly string[];
  /** Why it needs no change of a file. */
  readonly noChange?: string;
}

/** The change of one file for one intent. */
export interface PlanChange {
  readonly id: string;
  readonly intent: string;
  readonly file: string;
  readonly diff: string;
}

/** A plan. Other fields are allowed. */
export interface Plan {
  readonly title: string;
  readonly goal: string;
  /** The requirements. If they are listed, each must be met by an intent. */
  readonly requirements?: readonly PlanRequirement[];
  readonly decisions: readonly PlanDecision[];
  readonly milestones: readonly PlanMilestone[];
  readonly intents: readonly PlanIntent[];
  /** Missing or empty until the changes are written. */
  readonly changes?: readonly PlanChange[];
}

/** What can be wrong with a plan. The codes are stable. */
export type PlanFaultCode =
  | 'PLAN_SHAPE'
  | 'PLAN_ID_INVALID'
  | 'PLAN_ID_DUPLICATE'
  | 'PLAN_ID_UNKNOWN'
  | 'PLAN_CHANGE_WITHOUT_INTENT'
  | 'PLAN_INTENT_WITHOUT_MILESTONE'
  | 'PLAN_INTENT_WITHOUT_DECISION'
  | 'PLAN_INTENT_WITHOUT_CHANGE'
  | 'PLAN_MILESTONE_WITHOUT_ACCEPTANCE'
  | 'PLAN_MILESTONE_WITHOUT_INTENT'
  | 'PLAN_MILESTONE_CYCLE'
  | 'PLAN_DECISION_UNUSED'
  | 'PLAN_REQUIREMENT_UNMET'
  | 'PLAN_PATH';

/** A fault of a plan, and where it is. */
export interface PlanFault {
  readonly code: PlanFaultCode;
  /** A JSON pointer: `/intents/2/decisions/0`. */
  readonly pointer: string;
  readonly message: string;
}

const LISTS = {
  requirements: { letter: 'R', texts: ['text'] },
  decisions: { letter: 'D', texts: ['decision', 'because'] },
  milestones: { letter: 'M', texts: ['title'] },
  intents: { letter: 'I', texts: ['what'] },
  changes: { letter: 'C', texts: ['file', 'diff'] },
} as const;

type ListName = keyof typeof LISTS;

/** Lists that a plan may lack, or have empty. */
const OPTIONAL: ReadonlySet<ListName> = new Set(['requirements', 'changes']);

/** An entry of a list, with its position. */
interface Entry {
  readonly pointer: string;
  readonly id: string;
  readonly value: JsonObject;
}

type Entries = Readonly<Record<ListName, readonly Entry[]>>;

/** The faults of a plan, in the order of its parts; none for a valid plan. */
export function planFaults(plan: Json): PlanFault[] {
  if (!isJsonObject(plan)) return [fault('PLAN_SHAPE', '', 'a plan must be a JSON object')];
  const heads = ['title', 'goal'].flatMap((name) => textFaults(plan, name, ''));
  const missing = listNames().filter((name) => plan[name] === undefined && !OPTIONAL.has(name));
  const shapes = [
    ...heads,
    ...missing.map((name) => fault('PLAN_SHAPE', `/${name}`, `the list "${name}" is missing`)),
    ...listNames().flatMap((name) => listFaults(plan, name)),
  ];
  const entries = Object.fromEntries(listNames().map((name) => [name, entriesOf(plan, name)])) as unknown as Entries;
  return [...shapes, ...idFaults(entries), ...referenceFaults(entries), ...looseFaults(entries), ...cycleFaults(entries)];
}

function listNames(): ListName[] {
  return Object.keys(LISTS) as ListName[];
}

function fault(code: PlanFaultCode, pointer: string, message: string): PlanFault {
  return { code, pointer, message };
}

function textFaults(value: JsonObject, name: string, pointer: string): PlanFault[] {
  if (isText(value[name])) return [];
  return [
    fault('PLAN_SHAPE', `${pointer}/${name}`, `${pointer === '' ? 'the plan' : idOf(value) || pointer} must have a string "${name}"`),
  ];
}

function idOf({ id }: JsonObject): string {
  return typeof id === 'string' ? id : '';
}

function listFaults(plan: JsonObject, name: ListName): PlanFault[] {
  const list = plan[name];
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [fault('PLAN_SHAPE', `/${name}`, `"${name}" must be a list`)];
  if (list.length === 0 && !OPTIONAL.has(name)) return [fault('PLAN_SHAPE', `/${name}`, `the list "${name}" is empty`)];
  return (list as readonly Json[]).flatMap((entry, index) => {
    const pointer = `/${name}/${index}`;
    if (!isJsonObject(entry)) return [fault('PLAN_SHAPE', pointer, `an entry of "${name}" must be an object`)];
    return [...LISTS[name].texts.flatMap((text) => textFaults(entry, text, pointer)), ...partFaults(entry, pointer)];
  });
}

/** What is wrong with the parts of an entry that are lists of texts or objects, or paths. */
function partFaults(entry: JsonObject, pointer: string): PlanFault[] {
  const lists = ['after', 'requirements', 'decisions', 'files'].flatMap((name) => {
    const list = entry[name];
    return list === undefined || (Array.isArray(list) && list.every(isText))
      ? []
      : [fault('PLAN_SHAPE', `${pointer}/${name}`, `"${name}" of ${idOf(entry)} must be a list of strings`)];
  });
  const rejected = entry.rejected === undefined ? [] : rejectedFaults(entry.rejected, `${pointer}/rejected`);
  const files = (Array.isArray(entry.files) ? entry.files : []) as readonly Json[];
  const paths: [Json | undefined, string][] = [
    [entry.file, `${pointer}/file`],
    ...files.map((file, index): [Json, string] => [file, `${pointer}/files/${index}`]),
  ];
  return [...lists, ...rejected, ...paths.flatMap(([path, at]) => pathFaults(path, at))];
}

function rejectedFaults(rejected: Json, pointer: string): PlanFault[] {
  if (!Array.isArray(rejected)) return [fault('PLAN_SHAPE', pointer, '"rejected" must be a list of { option, because }')];
  return (rejected as readonly Json[]).flatMap((entry, index) => {
    const isWhole = isJsonObject(entry) && isText(entry.option) && isText(entry.because);
    return isWhole ? [] : [fault('PLAN_SHAPE', `${pointer}/${index}`, 'a rejected option must have the texts "option" and "because"')];
  });
}

function pathFaults(path: Json | undefined, pointer: string): PlanFault[] {
  if (!isText(path)) return [];
  const isInside = !/^(?:[\\/~]|[A-Za-z]:)/.test(path) && !path.split(/[\\/]/).includes('..');
  return isInside ? [] : [fault('PLAN_PATH', pointer, `"${path}" must be a path inside the project, from its root`)];
}

function entriesOf(plan: JsonObject, name: ListName): Entry[] {
  const list = plan[name];
  if (!Array.isArray(list)) return [];
  return (list as readonly Json[]).flatMap((value, index) =>
    isJsonObject(value) ? [{ pointer: `/${name}/${index}`, id: idOf(value), value }] : [],
  );
}

function idFaults(entries: Entries): PlanFault[] {
  const first = new Map<string, string>();
  return listNames().flatMap((name) =>
    entries[name].flatMap(({ id, pointer }) => {
      const { letter } = LISTS[name];
      if (!new RegExp(`^${letter}-[1-9][0-9]*$`).test(id))
        return [fault('PLAN_ID_INVALID', `${pointer}/id`, `the id of an entry of "${name}" must be like ${letter}-1, not "${id}"`)];
      const earlier = first.get(id);
      if (earlier !== undefined) return [fault('PLAN_ID_DUPLICATE', `${pointer}/id`, `the id ${id} is already used at ${earlier}`)];
      first.set(id, pointer);
      return [];
    }),
  );
}

/** Fields that name entries of a list, and what it means when they name none. */
const REFERENCES: readonly {
  readonly from: ListName;
  readonly field: string;
  readonly to: ListName;
  readonly without?: PlanFaultCode;
}[] = [
  { from: 'milestones', field: 'after', to: 'milestones' },
  { from: 'intents', field: 'milestone', to: 'milestones', without: 'PLAN_INTENT_WITHOUT_MILESTONE' },
  { from: 'intents', field: 'decisions', to: 'decisions', without: 'PLAN_INTENT_WITHOUT_DECISION' },
  { from: 'intents', field: 'requirements', to: 'requirements' },
  { from: 'changes', field: 'intent', to: 'intents', without: 'PLAN_CHANGE_WITHOUT_INTENT' },
];

function referenceFaults(entries: Entries): PlanFault[] {
  return REFERENCES.flatMap(({ from, field, to, without }) =>
    entries[from].flatMap(({ id, pointer, value }) => {
      const named = namedIn(value[field], `${pointer}/${field}`);
      if (named.length === 0)
        return without === undefined ? [] : [fault(without, `${pointer}/${field}`, `${id || pointer} must refer to one of the "${to}"`)];
      return named
        .filter(({ name }) => !entries[to].some((entry) => entry.id === name))
        .map(({ name, at }) => fault('PLAN_ID_UNKNOWN', at, `${id || pointer} refers to "${name}", which is not in "${to}"`));
    }),
  );
}

/** The ids that a field names: one text, or a list of them. */
function namedIn(value: Json | undefined, pointer: string): { readonly name: string; readonly at: string }[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [{ name: value, at: pointer }];
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).flatMap((name, index) => (isText(name) ? [{ name, at: `${pointer}/${index}` }] : []));
}

/** Parts that nothing refers to, or that refer to nothing. */
function looseFaults({ requirements, decisions, milestones, intents, changes }: Entries): PlanFault[] {
  const names = (list: readonly Entry[], field: string): Set<string> =>
    new Set(list.flatMap(({ value }) => namedIn(value[field], '').map(({ name }) => name)));
  const [met, used, filled] = [names(intents, 'requirements'), names(intents, 'decisions'), names(intents, 'milestone')];
  const changed = names(changes, 'intent');
  return [
    ...requirements.flatMap(({ id, pointer }) => (met.has(id) ? [] : [fault('PLAN_REQUIREMENT_UNMET', pointer, `no intent meets ${id}`)])),
    ...decisions.flatMap(({ id, pointer }) =>
      used.has(id) ? [] : [fault('PLAN_DECISION_UNUSED', pointer, `no intent follows from ${id}; add one, or remove the decision`)],
    ),
    ...milestones.flatMap(({ id, pointer, value }) => [
      ...acceptanceFaults(id, value.acceptance, `${pointer}/acceptance`),
      ...(filled.has(id) ? [] : [fault('PLAN_MILESTONE_WITHOUT_INTENT', pointer, `no intent belongs to ${id}`)]),
    ]),
    ...intents.flatMap(({ id, pointer, value }) =>
      changes.length === 0 || changed.has(id) || isText(value.noChange)
        ? []
        : [fault('PLAN_INTENT_WITHOUT_CHANGE', pointer, `no change implements ${id}; add one, or say in "noChange" why none is needed`)],
    ),
  ];
}

function acceptanceFaults(id: string, acceptance: Json | undefined, pointer: string): PlanFault[] {
  const list = (Array.isArray(acceptance) ? acceptance : []) as readonly Json[];
  if (list.length === 0)
    return [
      fault('PLAN_MILESTONE_WITHOUT_ACCEPTANCE', pointer, `${id} has no acceptance criteria; say what can be observed when it is reached`),
    ];
  return list.flatMap((criterion, index) =>
    isText(criterion) ? [] : [fault('PLAN_SHAPE', `${pointer}/${index}`, `an acceptance criterion of ${id} must be a string`)],
  );
}

/** Milestones that wait for each other. */
function cycleFaults({ milestones }: Entries): PlanFault[] {
  const after = new Map(milestones.map(({ id, value }) => [id, namedIn(value.after, '').map(({ name }) => name)]));
  return milestones.flatMap(({ id, pointer }) => {
    const reached = new Set(after.get(id));
    for (const name of reached) for (const next of after.get(name) ?? []) reached.add(next);
    return reached.has(id) ? [fault('PLAN_MILESTONE_CYCLE', `${pointer}/after`, `${id} waits for itself`)] : [];
  });
}
