// Owns the tables that the skill prompt-engineer works with: which scope a request has, why prompts fail, and what helps.

/** The scopes of the skill. */
export const SCOPES = ['single-prompt', 'ecosystem', 'greenfield', 'problem'] as const;

/** A scope of the skill. */
export type Scope = (typeof SCOPES)[number];

/** How one tells the scopes apart. */
export const SCOPE_TABLE: readonly string[] = [
  '| scope | the request |',
  '|---|---|',
  '| greenfield | there is no prompt yet |',
  '| single-prompt | one prompt, which works and should be better or shorter |',
  '| problem | one prompt or a few, and something definite goes wrong |',
  '| ecosystem | prompts that work together: they share words, pass results on, or overrule each other |',
];

/** Why a prompt fails, and how one sees that it is this cause. */
export const CAUSE_TABLE: readonly string[] = [
  '| cause | how to see it |',
  '|---|---|',
  '| missing: it needs something the prompt does not say | a person with only the prompt would have to ask |',
  '| conflict: two instructions, or an instruction and an example | both cannot be followed in this case |',
  '| buried: far from where it is needed, or one of very many | moving only this line changes the output |',
  '| vague: a word with several readings (short, relevant, if needed) | two readers mark different outputs as right |',
  '| example: the output copies what is accidental in it | its length, topic or order comes back |',
  '| overload: several tasks in one call | each one alone succeeds |',
  '| input: not delimited, cut off, stale, or instructions inside data | print what is really sent |',
  '| not the prompt: the caller, parser, tool, model or data | a perfect answer would still fail |',
];

/** What helps against which failure. */
export const TECHNIQUE_TABLE: readonly string[] = [
  '| seen | do |',
  '|---|---|',
  '| form varies | name who reads the output, show one complete example of it |',
  '| steps are skipped | number them; each leaves something that can be seen |',
  '| a rule is ignored | put it where it applies, say why, say what to do instead of what not |',
  '| judgments vary | a decision table, with two cases at each border |',
  '| facts are invented | ask for the source of each; make unknown a full answer |',
  '| too long | a limit and what to leave out; delete what invites it |',
  '| input is misread | label and delimit each part; long material first, the question last |',
  '| examples are copied | two or three that differ in all but the point |',
  '| it approves its own work | check in a separate call that does not see the reasoning |',
  '| rules collide | say which wins |',
];
