// Parses a Makefile to find the commands of a target and the included files. Variables and functions are not expanded.

/** The rules and includes of a Makefile. */
export interface MakeFile {
  /** The included files, as written. */
  readonly includes: readonly string[];
  readonly rules: readonly MakeRule[];
}

/** One rule: its targets, their recipe and their prerequisites. */
export interface MakeRule {
  readonly targets: readonly string[];
  readonly before: readonly string[];
  readonly lines: readonly string[];
}

const INCLUDE = /^(?:-|s)?include\s+(.+)$/;
const RULE = /^([^\s#:=][^:=]*)::?(?!=)([^;]*)(?:;(.*))?$/;

/** Reads the text of a Makefile. */
export function readMakeFile(text: string): MakeFile {
  const includes: string[] = [];
  const rules: { targets: string[]; before: string[]; lines: string[] }[] = [];
  for (const line of text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const included = INCLUDE.exec(line)?.[1];
    const [, targets, before = '', first] = RULE.exec(line) ?? [];
    if (line.startsWith('\t')) rules.at(-1)?.lines.push(recipe(line));
    else if (included !== undefined) includes.push(...words(included));
    else if (targets !== undefined)
      rules.push({ targets: words(targets), before: words(before), lines: first === undefined ? [] : [recipe(first)] });
  }
  return { includes, rules };
}

/** The commands of these targets and their prerequisites; without targets, those of the first one. */
export function recipesOf(rules: readonly MakeRule[], wanted: readonly string[]): string[] {
  return requestedTargets(rules, wanted).flatMap((target) =>
    rules.filter(({ targets }) => targets.includes(target)).flatMap(({ lines }) => lines),
  );
}

/** These targets and their prerequisites; without targets, the first one of the file. */
function requestedTargets(rules: readonly MakeRule[], wanted: readonly string[]): readonly string[] {
  const first = rules.find(({ targets }) => targets.some((target) => !target.startsWith('.')));
  const requested = new Set(wanted.length > 0 ? wanted : first?.targets);
  for (const target of requested)
    for (const rule of rules.filter(({ targets }) => targets.includes(target))) for (const before of rule.before) requested.add(before);
  return [...requested];
}

/**
 * The targets of these commands that are no files: their recipes create none, and nothing declares them `.PHONY`. make skips
 * such a target as soon as there is a file or a folder with its name.
 */
export function skippableTargets(rules: readonly MakeRule[], wanted: readonly string[]): string[] {
  const isPhony = new Set(rules.filter(({ targets }) => targets.includes('.PHONY')).flatMap(({ before }) => before));
  return requestedTargets(rules, wanted).filter((target) => {
    const lines = rules.filter(({ targets }) => targets.includes(target)).flatMap((rule) => rule.lines);
    return lines.length > 0 && !isPhony.has(target) && /^[\w-]+$/.test(target) && !lines.some((line) => createsFile(line, target));
  });
}

function createsFile(line: string, target: string): boolean {
  return /\$@|\$[({]@[)}]/.test(line) || new RegExp(`(?:-o|>|\\btouch|\\bmkdir(?: -p)?)\\s*${target}(?![\\w-])`).test(line);
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '' && word !== '|');
}

function recipe(line: string): string {
  return line.replace(/^[\s@+-]+/, '').replaceAll(/\$[({]MAKE[)}]/g, 'make');
}
