// Owns SHA-256 in plain code, for the few short texts that a process digests before it is worth loading `node:crypto`,
// which takes longer than everything else a short process does (it starts OpenSSL).

const ROUND_CONSTANTS = Int32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
);
const START = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
const BLOCK = 64;

const words = new Int32Array(64);

/** The SHA-256 of a text's UTF-8 bytes. */
export function sha256(text: string): Buffer {
  const size = Buffer.byteLength(text);
  // The text, one bit, zeros, and the length in bits as the last eight bytes of a block.
  const padded = Buffer.alloc(Math.ceil((size + 9) / BLOCK) * BLOCK);
  padded.write(text);
  padded[size] = 0x80;
  padded.writeUInt32BE(Math.floor(size / 0x2000_0000), padded.length - 8);
  padded.writeUInt32BE((size << 3) >>> 0, padded.length - 4);
  const state = Int32Array.from(START);
  for (let offset = 0; offset < padded.length; offset += BLOCK) mix(state, padded, offset);
  const digest = Buffer.alloc(32);
  for (let index = 0; index < 8; index += 1) digest.writeInt32BE(state[index] as number, index * 4);
  return digest;
}

// Turned by hand and without lists: this runs before anything is optimised, when every call counts.
function mix(state: Int32Array, bytes: Buffer, offset: number): void {
  const w = words;
  for (let n = 0; n < 16; n += 1) w[n] = bytes.readInt32BE(offset + n * 4);
  for (let n = 16; n < 64; n += 1) {
    const p = w[n - 15] as number;
    const q = w[n - 2] as number;
    const first = ((p >>> 7) | (p << 25)) ^ ((p >>> 18) | (p << 14)) ^ (p >>> 3);
    const second = ((q >>> 17) | (q << 15)) ^ ((q >>> 19) | (q << 13)) ^ (q >>> 10);
    w[n] = (w[n - 16] as number) + first + (w[n - 7] as number) + second;
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let n = 0; n < 64; n += 1) {
    const turnedE = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const turnedA = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const first = (h + turnedE + ((e & f) ^ (~e & g)) + (ROUND_CONSTANTS[n] as number) + (w[n] as number)) | 0;
    const second = turnedA + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
  state[4] = (state[4] as number) + e;
  state[5] = (state[5] as number) + f;
  state[6] = (state[6] as number) + g;
  state[7] = (state[7] as number) + h;
}
