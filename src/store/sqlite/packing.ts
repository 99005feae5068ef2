// Owns the short spelling of JSON texts in the tables. The words that every checkpoint and every event row repeats are
// written as control characters, and digests as base64. JSON text never holds a raw control character, so the way
// back is exact whatever the text says. Plain SQL can go back too: the table `phrases` holds the same words.
//
// Y1. A phrase keeps its code for ever: files hold the codes. New phrases are appended, none is moved or removed.

const DIGEST = '\u0001';
const SECOND = '\u001f';
const DIGEST_CHARACTERS = 43;

// Codes 2 to 30, one byte each: what nearly every row holds.
const COMMON = [
  ',"at":',
  '{"type":"step.opened"',
  '{"type":"step.changed"',
  '{"type":"step.settled"',
  '{"type":"edge.taken"',
  '{"type":"run.changed"',
  ',"activation":{"path":"',
  '","step":"',
  '","kind":"',
  '","state":"',
  '","attempt":',
  ',"attempt":',
  ',"since":1',
  ',"recovery":0',
  ',"openedAt":',
  ',"startedAt":',
  ',"wait":{"kind":"',
  ',"digest":',
  ',"bytes":',
  '{"live":{"',
  '":{"path":"',
  ',"outcome":"ok"',
  ',"output":{"digest":',
  ',"path":"',
  ',"set":{"state":"',
  ',"shown":{"digest":',
  ',"counts":{',
  ',"slots":["',
  ',"from":"',
] as const;

// Two bytes each: code 31 and a letter.
const SELDOM = [
  '{"type":"run.started"',
  ',"run":{"id":"',
  '","workflow":"',
  '","def":',
  ',"form":"graph","flags":[]',
  ',"form":"flow","flags":[]',
  ',"depth":0',
  ',"params":{"digest":',
  ',"parent":{"run":"',
  '{"type":"group.joined"',
  '{"type":"step.reopened"',
  '{"type":"input.ignored"',
  ',"status":"completed"',
  ',"status":"escalated"',
  ',"outcome":"',
  ',"to":"',
  ',"counts":"ok"',
  ',"group":"',
  ',"index":',
  ',"key":"',
  ',"merge":true',
  ',"actor":"',
  ',"due":',
  ',"deadline":',
  ',"halt":{"reason":"',
  ',"error":{"code":"',
  ',"message":"',
  ',"groups":{',
  ',"total":',
  ',"queued":',
  ',"reject":',
  ',"fail":',
  ',"skip":',
  ',"join":{"rule":"all"}',
  ',"limit":',
  ',"counted":true',
  'preparing"',
  'verifying"',
  'waiting"',
  'running"',
  'queued"',
  'human"',
  'command"',
  ',"decision":{"gate":"',
  ',"option":"',
  ',"feedback":"',
  ',"failed":{',
  ',"input":"',
] as const;

const CODES = new Map<string, string>();
for (const [index, phrase] of COMMON.entries()) CODES.set(phrase, String.fromCharCode(index + 2));
for (const [index, phrase] of SELDOM.entries()) CODES.set(phrase, SECOND + String.fromCharCode(index + 65));
const PHRASES = new Map([...CODES].map(([phrase, code]) => [code, phrase]));

const LONGEST_FIRST = [...CODES.keys()].sort((a, b) => b.length - a.length);
const PACK = new RegExp(`"[0-9a-f]{64}"|${LONGEST_FIRST.map((phrase) => phrase.replace(/[[\]{}.]/g, '\\$&')).join('|')}`, 'g');
const UNPACK = new RegExp(`"${DIGEST}[\\w-]{${DIGEST_CHARACTERS}}"|${SECOND}[A-~]|[\\u0002-\\u001e]`, 'g');

/** The short spelling of a JSON text. */
export function packJson(text: string): string {
  return text.replace(PACK, (found) => CODES.get(found) ?? `"${DIGEST}${Buffer.from(found.slice(1, -1), 'hex').toString('base64url')}"`);
}

/** The JSON text that `packJson` was given. */
export function unpackJson(packed: string): string {
  return packed.replace(UNPACK, (found) => PHRASES.get(found) ?? `"${Buffer.from(found.slice(2, -1), 'base64url').toString('hex')}"`);
}

/** The codes as rows, for the table that plain SQL unpacks with; digests stay base64 there, marked with `~`. */
export function phraseRows(): readonly (readonly [code: string, phrase: string])[] {
  return [[DIGEST, '~'], ...[...CODES].map(([phrase, code]) => [code, phrase] as const)];
}

/** An SQL expression that unpacks a column, phrase by phrase: nested calls would be too deep for older parsers. */
export function unpackSql(column: string): string {
  return `(WITH RECURSIVE unpacked (n, text) AS (SELECT 0, ${column} UNION ALL
    SELECT p.n, replace(u.text, p.code, p.phrase) FROM unpacked u JOIN phrases p ON p.n = u.n + 1)
    SELECT text FROM unpacked ORDER BY n DESC LIMIT 1)`;
}
