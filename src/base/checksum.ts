// Owns the CRC-32 of a text (the one of zlib and PNG). Node has it in `node:zlib`, but loading that module takes longer
// than everything a short process sums up with it.

const POLYNOMIAL = 0xedb88320;
const TABLE = createTable();

function createTable(): Int32Array {
  const table = new Int32Array(256);
  for (let n = 0; n < 256; n += 1) {
    let value = n;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
    table[n] = value;
  }
  return table;
}

/** The checksum of a text's UTF-8 bytes: finds accidents, proves nothing. */
export function crc32(text: string): number {
  const bytes = Buffer.from(text);
  let sum = -1;
  for (let index = 0; index < bytes.length; index += 1) sum = (TABLE[(sum ^ (bytes[index] as number)) & 255] as number) ^ (sum >>> 8);
  return (sum ^ -1) >>> 0;
}
