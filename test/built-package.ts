// Owns the package as it is published, made of the bundles that the tests share.

import { cpSync, rmSync } from 'node:fs';
import { inject } from 'vitest';
import { writeDeclarations } from '../scripts/declarations.js';
import { writePackage } from '../scripts/package.js';

/** Writes the package to a folder. */
export function writeBuiltPackage(folder: string): void {
  const dist = `${folder}-dist`;
  cpSync(inject('bundle'), dist, { recursive: true });
  writeDeclarations(dist);
  writePackage(dist, folder);
  rmSync(dist, { recursive: true });
}
