// Owns the kinds of writes that the engine makes at the forge for workers, and how many of each a run may make.

/** The kinds of writes at the forge, with their names in limits. */
const WRITE_KINDS = ['comments', 'pull_requests', 'labels', 'issues', 'reviews', 'discussions'] as const;

/** One kind of write. */
export type WriteKind = (typeof WRITE_KINDS)[number];

/** How many writes of each kind the workers of one run may make. */
export type WriteLimits = Readonly<Partial<Record<WriteKind, number>>>;

/** The outputs that a step can declare and the engine writes at the forge at its worker's request. */
export const FORGE_OUTPUTS = ['comment', 'pr', 'label', 'issue', 'review', 'discussion'] as const;

/** One type of output at the forge. */
export type ForgeOutputType = (typeof FORGE_OUTPUTS)[number];

/** The limits if neither the workflow nor the project sets one. */
export const DEFAULT_WRITES: Readonly<Record<WriteKind, number>> = {
  comments: 20,
  pull_requests: 3,
  labels: 20,
  issues: 5,
  reviews: 10,
  discussions: 5,
};

/** The kind of write for each output. */
export const WRITE_OF: Readonly<Record<ForgeOutputType, WriteKind>> = {
  comment: 'comments',
  pr: 'pull_requests',
  label: 'labels',
  issue: 'issues',
  review: 'reviews',
  discussion: 'discussions',
};

/** How many writes of a kind a run may make: a workflow can narrow what its project sets, never widen it. */
export function writesMax(kind: WriteKind, workflow: WriteLimits | undefined, project: WriteLimits | undefined): number {
  const [own, most] = [workflow?.[kind], project?.[kind]];
  return own === undefined ? (most ?? DEFAULT_WRITES[kind]) : Math.min(own, most ?? own);
}

/** What is wrong with limits, as the rest of a sentence that begins with "writes". */
export function writesFault(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be a mapping, such as { comments: 3 }';
  for (const [kind, max] of Object.entries(value)) {
    if (!WRITE_KINDS.some((known) => known === kind)) return `has the unknown kind "${kind}"; the kinds are ${WRITE_KINDS.join(', ')}`;
    if (!Number.isSafeInteger(max) || max < 0) return `has ${kind}: ${JSON.stringify(max)}; it must be a whole number of at least 0`;
  }
  return undefined;
}

const WITH_TARGET: readonly string[] = ['comment', 'label'];
const WITH_LABELS: readonly string[] = ['label', 'issue'];

/**
 * What is wrong with the fields of an output at the forge, as the rest of a sentence about it. A worker chooses labels
 * only from a list, since a label can start a workflow.
 */
export function forgeOutputFault(output: {
  readonly type: string;
  readonly target?: unknown;
  readonly labels?: unknown;
}): string | undefined {
  const { type, target, labels } = output;
  if (target !== undefined && !WITH_TARGET.includes(type)) return `has a target, but only a ${WITH_TARGET.join(' or a ')} has one`;
  if (labels !== undefined && !WITH_LABELS.includes(type)) return `has labels, but only a ${WITH_LABELS.join(' or an ')} has them`;
  if (target !== undefined && target !== 'issue' && target !== 'pr') return 'has a target that is neither issue nor pr';
  const isList = Array.isArray(labels) && labels.length > 0 && labels.every((label) => typeof label === 'string' && label.trim() !== '');
  if (labels !== undefined && !isList) return 'has `labels` that are not a list of labels';
  return type === 'label' && labels === undefined ? 'must have "labels", the labels that the worker may choose from' : undefined;
}
