// Owns the way of output from a pipe to what is kept and shown: bytes become whole characters, secrets are masked,
// and only then is anything cut, so that no cut leaves half a secret that nobody would recognise.

import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { BoundedOutput } from './output.ts';
import type { Redactor } from './redact.ts';

/** What to do with a captured stream. */
export interface CaptureOptions {
  readonly bytesMax: number;
  readonly redactor: Redactor | undefined;
  readonly onText: ((text: string) => void) | undefined;
}

/** A stream that is being captured. */
export interface Capture {
  /** Stops capturing; gives what was kept and how many bytes came. */
  finish(): { readonly text: string; readonly bytes: number };
}

/** Starts to read a stream to its end. */
export function captureStream(stream: Readable, options: CaptureOptions): Capture {
  const kept = new BoundedOutput(options.bytesMax);
  const decoder = new StringDecoder('utf8');
  const masking = options.redactor?.stream();
  let bytes = 0;
  const show = (text: string): void => {
    if (text === '') return;
    if (masking !== undefined) kept.push(Buffer.from(text));
    options.onText?.(text);
  };
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (masking === undefined) kept.push(chunk);
    if (masking === undefined && options.onText === undefined) return;
    const text = decoder.write(chunk);
    show(masking?.push(text) ?? text);
  };
  stream.on('data', take);
  // A pipe that breaks has nothing more to say; how the command ended is told by its exit.
  stream.on('error', () => {});
  const finish = (): { text: string; bytes: number } => {
    stream.off('data', take);
    const rest = decoder.end();
    show(masking === undefined ? rest : masking.push(rest) + masking.end());
    return { text: kept.text(), bytes };
  };
  return { finish };
}
