// Owns the forms in which a secret appears in output: unchanged, and encoded as programs do by accident (a header dumped in
// base64, a URL logged, a JSON body printed).

/** Shorter text is a word, a number or a flag: masking it would hide too much and reveal the secret. */
export const SECRET_LENGTH_MIN = 6;

// Lines of other multi-line secrets are often plain configuration (`clusters:`) that occurs everywhere.
const PLAIN_LINE_LENGTH_MIN = 16;

const PEM_BOUNDARY = /^-----(BEGIN|END) [^-]+-----$/;

/** Every form of a secret to mask, without duplicates. Letters match in either case. */
export function secretForms(secret: string): string[] {
  const longEnough = [secret, secret.trim(), ...secretLines(secret)].filter((piece) => piece.length >= SECRET_LENGTH_MIN);
  return [...new Set(longEnough.flatMap((piece) => formsOfPiece(piece.toWellFormed())))];
}

function secretLines(secret: string): string[] {
  const lines = secret.trim().split(/\r?\n/);
  if (lines.length === 1) return [];
  const trimmed = lines.map((line) => line.trim());
  const lengthMin = trimmed.some((line) => PEM_BOUNDARY.test(line)) ? SECRET_LENGTH_MIN : PLAIN_LINE_LENGTH_MIN;
  return trimmed.filter((line) => line.length >= lengthMin && !PEM_BOUNDARY.test(line));
}

function formsOfPiece(piece: string): string[] {
  const forms = [piece, ...base64Forms(piece), Buffer.from(piece).toString('hex'), ...urlForms(piece), ...jsonForms(piece)];
  return forms.filter((form) => form.length >= SECRET_LENGTH_MIN);
}

// Inside a larger encoded text the secret begins at the first, second or third byte of a group, and only the letters that
// depend on the secret alone are always the same.
function base64Forms(piece: string): string[] {
  const bytes = Buffer.from(piece);
  const whole = bytes.toString('base64');
  const inner = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    return encoded.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + bytes.length) * 8) / 6));
  });
  const standard = [whole, whole.replace(/=+$/, ''), ...inner];
  return [...standard, ...standard.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

function urlForms(piece: string): string[] {
  const component = encodeURIComponent(piece);
  const strict = component.replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return [component, strict, component.replaceAll('%20', '+'), strict.replaceAll('%20', '+'), encodeURI(piece)];
}

function jsonForms(piece: string): string[] {
  const once = JSON.stringify(piece).slice(1, -1);
  const ascii = once.replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const slashes = once.replaceAll('/', '\\/');
  const twice = JSON.stringify(once).slice(1, -1);
  return [once, ascii, slashes, twice];
}
