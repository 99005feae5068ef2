// Owns how a step of a skill says which sub-agents do it.

/** Sub-agents that do a step: one, or one per entry of a list. */
export interface SkillDispatch {
  /** The role, such as `quality-reviewer`. */
  readonly agent: string;
  /** The skill that it follows, by name. */
  readonly skill: string;
  /** The parameters of that skill; texts may name parameters of this one in braces, `{item}`, and in a review `{round}` and `{late}`: what joined its items after they were frozen. */
  readonly params?: Readonly<Record<string, string>>;
  /** One sub-agent per entry, all at once: a fixed list, or names (`ids`) that a document defines. */
  readonly each?: readonly string[] | { readonly document: string; readonly ids: string };
  /** How many words it may return. */
  readonly returns: number;
}
