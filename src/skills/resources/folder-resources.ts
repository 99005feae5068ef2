// Owns the provider of a project: its files are those below the root. A link out of the root is rejected, for reading and for
// writing.

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EngineError, messageOf } from '../../base/error.ts';
import { isInsideFolder } from '../../base/inside-folder.ts';
import { readPlainFile, writePlainFile } from '../../base/plain-file.ts';
import { type MemoryResources, namedResources, type ResourceProvider, safePath } from './provider.ts';

/** A provider of the files of a folder. */
export function folderResources({ root, ...content }: Omit<MemoryResources, 'files'> & { readonly root: string }): ResourceProvider {
  return {
    ...namedResources(content),
    readFile: (path) => {
      const file = fileInside(root, path);
      return withFileErrors({ verb: 'read', code: 'RESOURCE_UNKNOWN', path }, () => readPlainFile(file).toString('utf8'));
    },
    writeFile: (path, text) => {
      // Missing folders are created below an existing one that is inside.
      const file = fileInside(root, path);
      withFileErrors({ verb: 'write', code: 'RESOURCE_REFUSED', path }, () => {
        mkdirSync(dirname(file), { recursive: true });
        writePlainFile(file, text);
      });
    },
  };
}

/** The file of a path; throws RESOURCE_REFUSED if a link leads out of the root. */
function fileInside(root: string, path: string): string {
  const file = join(root, safePath(path));
  if (isInsideFolder(root, file)) return file;
  throw new EngineError('RESOURCE_REFUSED', `"${path}" leads out of ${root} through a link; name a file inside it`, { details: { path } });
}

function withFileErrors<T>(
  { verb, code, path }: { readonly verb: string; readonly code: 'RESOURCE_UNKNOWN' | 'RESOURCE_REFUSED'; readonly path: string },
  work: () => T,
): T {
  try {
    return work();
  } catch (cause) {
    throw new EngineError(code, `cannot ${verb} "${path}": ${messageOf(cause)}`, { cause, details: { path } });
  }
}
