// Owns the calculations of the benchmark, medians of alternating repeats, and its table.

/** The median of the values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** One line of the table. */
export interface Row {
  readonly id: string;
  readonly what: string;
  readonly measured: string;
  readonly target: string;
  readonly met: boolean;
  /** What `--json` prints besides `met`: `ratio` is Pawl's time divided by the floor's, `ownUs` the difference per unit of work. */
  readonly json: Readonly<Record<string, number>>;
}

/** Runs both sides alternately and returns the medians; the first turn is not counted. `own` is Pawl's time minus the floor's. */
export async function interleave(
  repeats: number,
  sides: { readonly floor: () => number | Promise<number>; readonly pawl: () => Promise<number> },
): Promise<{ floor: number; pawl: number; ratio: number; own: number }> {
  await sides.floor();
  await sides.pawl();
  const floors: number[] = [];
  const pawls: number[] = [];
  for (let n = 0; n < repeats; n += 1) {
    floors.push(await sides.floor());
    pawls.push(await sides.pawl());
  }
  // The ratio is taken per pair, because a slow moment of the machine affects both sides of a pair.
  const ratio = median(pawls.map((pawl, n) => pawl / (floors[n] as number)));
  const own = median(pawls.map((pawl, n) => pawl - (floors[n] as number)));
  return { floor: median(floors), pawl: median(pawls), ratio, own };
}

/** What `--json` prints: an object per row with `ratio` and `ownUs` (null if the row has none), `met`, and its other figures. */
export function jsonOf(rows: readonly Row[]): string {
  return JSON.stringify(Object.fromEntries(rows.map(({ id, json, met }) => [id, { ratio: null, ownUs: null, ...json, met }])));
}

/** The table in Markdown. */
export function tableOf(rows: readonly Row[]): string {
  const head = ['id', 'work', 'measured', 'target', ''];
  const body = rows.map((row) => [row.id, row.what, row.measured, row.target, row.target === '—' ? '' : row.met ? 'met' : 'MISSED']);
  return [`| ${head.join(' | ')} |`, '|---|---|---|---|---|', ...body.map((cells) => `| ${cells.join(' | ')} |`)].join('\n');
}
