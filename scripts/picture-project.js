// Owns the project that the pictures of the terminal show: the shop of the dashboard with workflows that fit on a screen, one that
// fails and one with a mistake.

import { SHOP } from '../test/browser/shop.ts';

const SHARED = ['src/cart.js', 'CHANGES.md', 'slow.sh', '.gitignore'];

/** What each file of the project contains, by its path. @type {Readonly<Record<string, string>>} */
export const FILES = {
  ...Object.fromEntries(SHARED.map((path) => [path, SHOP[path] ?? ''])),
  '.pawl/workflows/release.yaml': `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: release }
stages:
  - id: build
    type: command
    run: |
      sed -i 's/item.price,/item.price * item.count,/' src/cart.js
      echo "- The total counts every item." >> CHANGES.md
      echo "built 24 modules"
    on_complete: tests
  - id: tests
    type: parallel
    branches:
      - { id: unit, type: command, run: "sh slow.sh 'unit: 41 of 64 tests passed' 'unit: 57 of 64 tests passed'" }
      - { id: browser, type: command, run: "sh slow.sh 'opening the cart page' 'cart page: total is 30.00'" }
      - { id: lint, type: command, run: "sh slow.sh 'checking src/cart.js'" }
    on_complete: approve
  - id: approve
    type: human
    prompt: Release this version?
    subjects: ["src/**", "CHANGES.md"]
    options:
      - { label: release, goto: publish }
      - { label: rework, goto: build, requires_input: true }
  - { id: publish, type: command, run: "echo published 1.4.0", on_complete: complete }
`,
  '.pawl/workflows/nightly.yaml': `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: nightly }
stages:
  - { id: fetch, type: command, run: "echo 1200 orders", on_complete: report }
  - id: report
    type: command
    run: "echo 'reading orders.csv'; echo 'orders.csv: no column \\"total\\" in line 1' >&2; exit 2"
    on_complete: mail
  - { id: mail, type: command, run: "echo sent", on_complete: complete }
`,
  'broken.yaml': `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: broken }
stages:
  - { id: build, type: command, run: npm run build, on_complete: tset }
  - { id: test, type: command, run: npm test, on_complete: complete }
`,
};
