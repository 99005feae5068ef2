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
  '| single-prompt | one prompt that works but should be better or shorter |',
  '| problem | one prompt or a few, with a specific failure |',
  '| ecosystem | prompts that work together: they share words, pass on results, or override each other |',
];

/** Why a prompt fails, and how one sees that it is this cause. */
export const CAUSE_TABLE: readonly string[] = [
  '| cause | how to see it |',
  '|---|---|',
  '| missing: it needs something the prompt does not say | a person with only the prompt would have to ask |',
  '| conflict: between two instructions, or an instruction and an example | both cannot be followed in this case |',
  '| buried: far from where it is needed, or one of very many | moving only this line changes the output |',
  '| vague: a word with several readings (short, relevant, if needed) | two readers mark different outputs as right |',
  '| example: the output copies incidental features of an example | its length, topic or order reappears |',
  '| overload: several tasks in one call | each task succeeds alone |',
  '| input: not delimited, cut off, stale, or instructions inside data | print what is actually sent |',
  '| not the prompt: the caller, parser, tool, model or data | a perfect answer would still fail |',
];

/** What helps against which failure. */
export const TECHNIQUE_TABLE: readonly string[] = [
  '| seen | do |',
  '|---|---|',
  '| the format varies | name who reads the output, show one complete example of it |',
  '| steps are skipped | number them; make each produce something visible |',
  '| a rule is ignored | put it where it applies, give the reason, say what to do rather than what not to do |',
  '| judgments vary | a decision table, with two cases at each border |',
  '| facts are invented | ask for the source of each; accept "unknown" as an answer |',
  '| too long | a limit and what to leave out; delete what invites it |',
  '| input is misread | label and delimit each part; long material first, the question last |',
  '| examples are copied | give two or three that differ in everything but the point |',
  '| it approves its own work | check in a separate call that does not see the reasoning |',
  '| rules conflict | say which one wins |',
];
