// One agent per file, two at a time. If a file fails, a retry runs only that one; the others keep their results.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineWorkflow } from 'pawl';

const root = join(import.meta.dirname, '../..');

export default defineWorkflow({
  name: 'fan-out',
  title: 'Translate every text',
  steps: {
    list: {
      handler: () => ({ files: readdirSync(join(root, 'texts')).sort() }),
      next: 'translate',
    },
    translate: {
      each: {
        items: 'files',
        concurrency: 2,
        step: {
          agent: 'translator',
          prompt: 'Translate the file into German. Write the result to target. Use the words of GLOSSARY.txt.',
          context: ({ item }) => ({ file: `texts/${item}`, target: `translated/${item}` }),
          postconditions: [
            {
              name: 'translated',
              check: ({ item }) => existsSync(join(root, `translated/${item}`)),
              error: 'the target was not written',
            },
          ],
        },
      },
      next: 'index',
    },
    index: { command: 'ls translated > INDEX', next: null },
  },
});
