// Owns the upper bound of the rows that a statement can change, computed from its compiled program as EXPLAIN shows it. A
// statement that updates one row by its key has no loop around its writes, so it needs no savepoint and no count.
//
// SD10. A program with an unknown instruction, or with a write in a loop, has no bound.

/** One instruction of a compiled statement. */
export interface Instruction {
  readonly addr: number;
  readonly opcode: string;
  readonly p1: number;
  readonly p2: number;
}

/** Instructions that write a row or an entry of an index. */
const WRITES: ReadonlySet<string> = new Set(['Insert', 'IdxInsert', 'Delete', 'IdxDelete']);
/** Instructions that may jump to `p2`, unless it is 0. */
const JUMPS: ReadonlySet<string> = new Set([
  ...['Goto', 'Once', 'If', 'IfNot', 'IsType', 'IfNullRow', 'IsNull', 'NotNull', 'Eq', 'Ne', 'Lt', 'Le', 'Gt', 'Ge', 'ElseEq'],
  ...['MustBeInt', 'SeekLT', 'SeekLE', 'SeekGE', 'SeekGT', 'SeekScan', 'SeekRowid', 'NotExists', 'NoConflict', 'NotFound', 'Found'],
  ...['IfNoHope', 'IdxLE', 'IdxGT', 'IdxLT', 'IdxGE', 'Last', 'Rewind', 'Next', 'Prev', 'Sort', 'SorterSort', 'SorterNext'],
  ...['FkIfZero', 'IfPos', 'IfNotZero', 'DecrJumpZero', 'Filter', 'IfSmaller', 'IfEmpty', 'IfNotOpen'],
]);
/** Instructions that neither write to a table nor jump. */
const PLAIN: ReadonlySet<string> = new Set([
  ...['Noop', 'Explain', 'Halt', 'HaltIfNull', 'Transaction', 'TableLock', 'CursorHint', 'ReleaseReg', 'CollSeq', 'Affinity'],
  ...['Null', 'SoftNull', 'Integer', 'Int64', 'Real', 'String', 'String8', 'Blob', 'Variable', 'Move', 'Copy', 'SCopy', 'IntCopy'],
  ...['Add', 'Subtract', 'Multiply', 'Divide', 'Remainder', 'Concat', 'BitAnd', 'BitOr', 'BitNot', 'ShiftLeft', 'ShiftRight'],
  ...['And', 'Or', 'Not', 'IsTrue', 'ZeroOrNull', 'Cast', 'RealAffinity', 'Function', 'PureFunc', 'AddImm', 'Compare', 'Permutation'],
  ...['OpenRead', 'OpenWrite', 'ReopenIdx', 'OpenEphemeral', 'OpenPseudo', 'OpenAutoindex', 'SorterOpen', 'Close', 'NullRow'],
  ...['Column', 'Rowid', 'IdxRowid', 'NewRowid', 'Sequence', 'Offset', 'Count', 'DeferredSeek', 'FinishSeek', 'SeekHit', 'Param'],
  ...['MakeRecord', 'TypeCheck', 'SorterInsert', 'SorterData', 'FilterAdd', 'AggStep', 'AggStep1', 'AggFinal', 'AggValue', 'AggInverse'],
  ...['MemMax', 'OffsetLimit', 'ResultRow', 'FkCounter', 'FkCheck', 'ResetCount', 'Trace'],
  // The begin and end of an inline subroutine; one that is called from elsewhere has a Gosub, which is unknown.
  ...['BeginSubrtn', 'Return'],
]);

/** How many rows a compiled statement and its triggers can change at most; `Infinity` if that is unknown. */
export function rowsAtMost(listing: readonly Instruction[]): number {
  const [main = [], ...triggers] = programsOf(listing);
  // A trigger that fires triggers may recurse without end, so only triggers of the statement itself are followed.
  const ofTriggers = triggers.reduce((sum, program) => sum + writesAtMost(program, Infinity), 0);
  return writesAtMost(main, triggers.length === 0 ? Infinity : ofTriggers);
}

/** The statement's own program, and those of its triggers; each starts at address 0. */
function programsOf(listing: readonly Instruction[]): Instruction[][] {
  const programs: Instruction[][] = [];
  for (const instruction of listing) {
    if (instruction.addr === 0) programs.push([]);
    programs.at(-1)?.push(instruction);
  }
  return programs;
}

/** How many rows one program writes at most, where each call of a trigger writes `perCall`. */
function writesAtMost(program: readonly Instruction[], perCall: number): number {
  const loops = loopsOf(program);
  if (loops === undefined) return Infinity;
  let rows = 0;
  for (const { addr, opcode } of program) {
    const isCall = opcode === 'Program';
    if (!isCall && !WRITES.has(opcode)) continue;
    if (loops.some(([from, to]) => addr >= from && addr <= to)) return Infinity;
    rows += isCall ? perCall : 1;
  }
  return rows;
}

/** The ranges that may run more than once; undefined if the program has an unknown instruction or shape. */
function loopsOf(program: readonly Instruction[]): (readonly [from: number, to: number])[] | undefined {
  const [init, ...rest] = program;
  if (init?.opcode !== 'Init') return undefined;
  // The setup runs first: it is at the end of the program and jumps back to address 1.
  const setup = init.p2 === 1 ? program.length : init.p2;
  const last = setup === program.length ? undefined : program.at(-1);
  if (last !== undefined && (last.opcode !== 'Goto' || last.p2 !== 1 || program[setup - 1]?.opcode !== 'Halt')) return undefined;
  const loops: [number, number][] = [];
  for (const instruction of rest) {
    const { addr, opcode, p2 } = instruction;
    const isJump = JUMPS.has(opcode) || opcode === 'Program';
    if (!isJump && !WRITES.has(opcode) && !PLAIN.has(opcode)) return undefined;
    if (!isJump || p2 === 0 || instruction === last) continue;
    if (p2 >= setup && addr < setup) return undefined;
    if (p2 <= addr) loops.push([p2, addr]);
  }
  return loops;
}
