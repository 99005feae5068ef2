// Owns the sub-agents of a step.

/** Sub-agents that carry out a step: one, or one per entry of a list. */
export interface SkillDispatch {
  /** The role, such as `quality-reviewer`. */
  readonly agent: string;
  /** The skill that it follows, by name. */
  readonly skill: string;
  /** The parameters of that skill. Texts may contain parameters of this one in braces, `{item}`, and in a review `{round}` and `{late}`: items that were added after they were frozen. */
  readonly params?: Readonly<Record<string, string>>;
  /** One sub-agent per entry, all at once: a fixed list, or names (`ids`) that a document defines. */
  readonly each?: readonly string[] | { readonly document: string; readonly ids: string };
  /** How many words it may return. */
  readonly returns: number;
}
