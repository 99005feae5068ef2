// What the first workflow and the first skill use of Node, so that an editor can check it. For all of Node: npm install --save-dev @types/node,
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
