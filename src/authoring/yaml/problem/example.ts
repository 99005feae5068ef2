// Owns examples on one line: data as YAML that can be copied from a message into a file.

const PLAIN = /^[A-Za-z][\w./-]*(?: [\w./()=-]+)*%?$|^\d+(?:\.\d+)?(?:%|ms|s|m|h|d|w)$/;
const TAKEN = /^(?:true|false|null|yes|no)$/i;

/** A value as YAML on one line. */
export function inlineYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineYaml).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, member]) => `${key}: ${inlineYaml(member)}`)
      .join(', ')} }`;
  if (typeof value !== 'string') return String(value);
  return PLAIN.test(value) && !TAKEN.test(value) ? value : JSON.stringify(value);
}
