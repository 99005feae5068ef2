// Checks where in a shell line a value may be inserted. A value is written as one quoted word; inside quotes, after a
// backslash or in a here-document that quoting would break, and the shell would execute part of the value.

const NAME = /^\{([A-Za-z][\w-]*)\}/;

/** Names in braces at places where a quoted word would not stay one word; one sentence each. */
export function exposedNames(command: string): string[] {
  const isDocument = command.includes('<<');
  const found = new Set<string>();
  // The open quotes; a `$(` inside them starts a new context, which is an empty entry.
  const open = [''];
  for (let at = 0; at < command.length; at += 1) {
    const name = NAME.exec(command.slice(at))?.[1];
    const isEscaped = command[at - 1] === '\\' && open.at(-1) !== "'";
    if (name !== undefined && (open.at(-1) !== '' || isDocument || isEscaped)) found.add(name);
    if (!isEscaped || name !== undefined) at += enter(open, command, at);
  }
  return [...found].map(
    (name) =>
      `{${name}} in its command must stand outside of quotes and here-documents: its value is written as one quoted word, as in \`run {${name}}\``,
  );
}

/** Opens or closes quotes at a position of a line, and returns how many extra characters were read. */
function enter(open: string[], command: string, at: number): number {
  const [sign, quote] = [command[at] as string, open.at(-1) as string];
  if (quote !== "'" && sign === '\\' && command[at + 1] === '\\') return 1;
  if (quote !== "'" && quote !== "'$" && command.startsWith('$(', at)) {
    open.push('');
    return 1;
  }
  if (quote === '' && sign === ')' && open.length > 1) open.pop();
  else if (quote !== '' && sign === quote[0]) open.pop();
  else if (quote === '' && sign === "'") open.push(command[at - 1] === '$' ? "'$" : "'");
  else if (quote === '' && (sign === '"' || sign === '`')) open.push(sign);
  return 0;
}
