// Owns the kept part of an output stream: its start and its end, within a fixed number of bytes. Both matter: a build first
// prints its steps, and its errors last.

const FIRST_CAPACITY = 4096;

/** Keeps the head and the tail of a byte stream in bounded memory. */
export class BoundedOutput {
  readonly #headMax: number;
  readonly #tailMax: number;
  #head = Buffer.alloc(0);
  #headLength = 0;
  #ring: Buffer | undefined;
  #ringTotal = 0;

  constructor(bytesMax: number) {
    this.#headMax = Math.ceil(bytesMax / 2);
    this.#tailMax = Math.max(bytesMax - this.#headMax, 0);
  }

  /** Adds bytes. The caller may reuse the chunk afterwards. */
  push(chunk: Buffer): void {
    const room = this.#headMax - this.#headLength;
    if (room > 0) this.#pushHead(chunk.subarray(0, room));
    if (chunk.length > room) this.#pushTail(chunk.subarray(Math.max(room, 0)));
  }

  /** Returns the kept text. If bytes were left out, a line in the middle has their number. */
  text(): string {
    const head = this.#head.subarray(0, this.#headLength);
    const tail = this.#tail();
    const leftOut = this.#ringTotal - tail.length;
    if (leftOut === 0) return Buffer.concat([head, tail]).toString('utf8');
    const [first, last] = [head.subarray(0, wholeCharactersEnd(head)), tail.subarray(wholeCharactersStart(tail))];
    const missing = leftOut + head.length - first.length + tail.length - last.length;
    return `${first.toString('utf8')}\n[${missing} bytes left out]\n${last.toString('utf8')}`;
  }

  #pushHead(bytes: Buffer): void {
    const needed = this.#headLength + bytes.length;
    if (needed > this.#head.length) {
      const grown = Buffer.alloc(Math.min(this.#headMax, Math.max(needed, this.#head.length * 2, FIRST_CAPACITY)));
      this.#head.copy(grown, 0, 0, this.#headLength);
      this.#head = grown;
    }
    bytes.copy(this.#head, this.#headLength);
    this.#headLength = needed;
  }

  #pushTail(bytes: Buffer): void {
    const from = this.#ringTotal;
    this.#ringTotal += bytes.length;
    if (this.#tailMax === 0) return;
    this.#ring ??= Buffer.alloc(this.#tailMax);
    const kept = bytes.subarray(Math.max(bytes.length - this.#tailMax, 0));
    const at = (from + bytes.length - kept.length) % this.#tailMax;
    const written = kept.copy(this.#ring, at);
    kept.copy(this.#ring, 0, written);
  }

  #tail(): Buffer {
    if (this.#ring === undefined) return Buffer.alloc(0);
    if (this.#ringTotal <= this.#tailMax) return this.#ring.subarray(0, this.#ringTotal);
    const at = this.#ringTotal % this.#tailMax;
    return Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)]);
  }
}

// A cut inside a character would be shown as a replacement character.
function wholeCharactersEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (isContinuation(byte)) continue;
    return back < lengthByLead(byte) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function wholeCharactersStart(bytes: Buffer): number {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start] as number)) start += 1;
  return start;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function lengthByLead(byte: number): number {
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}
