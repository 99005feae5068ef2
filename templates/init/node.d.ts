// The parts of Node that the first workflow and skill use, so that an editor can check them. For all of Node: npm install --save-dev @types/node,
// then delete this file and .pawl/tsconfig.json, and run "pawl init" again.

declare module 'node:fs' {
  export function existsSync(path: string): boolean;
  export function readFileSync(path: string, encoding: 'utf8'): string;
  export function writeFileSync(path: string, text: string): void;
}
declare module 'node:path' {
  export function join(...parts: string[]): string;
}
interface ImportMeta {
  readonly dirname: string;
  readonly main: boolean;
}
declare const process: { readonly argv: readonly string[] };
