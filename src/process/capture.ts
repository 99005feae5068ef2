// Owns the path of output from a pipe to storage and display: bytes are decoded into whole characters, secrets are masked,
// and only then is the text cut, so that no half of a secret remains, which could not be recognised.

import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { BoundedOutput } from './output.ts';
import type { Redactor } from './redact.ts';

/** Options for capturing a stream. */
interface CaptureOptions {
  readonly bytesMax: number;
  readonly redactor: Redactor | undefined;
  readonly onText: ((text: string) => void) | undefined;
}

/** A stream that is being captured. */
interface Capture {
  /** Stops capturing. Returns the kept text and the total number of bytes. */
  finish(): { readonly text: string; readonly bytes: number };
}

/** Starts reading a stream to its end. */
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
  // A broken pipe only ends the output; the exit code tells how the command ended.
  stream.on('error', () => {});
  const finish = (): { text: string; bytes: number } => {
    stream.off('data', take);
    const rest = decoder.end();
    show(masking === undefined ? rest : masking.push(rest) + masking.end());
    return { text: kept.text(), bytes };
  };
  return { finish };
}
