// Owns names that are hard to show: far too long for a phone; and an invalid file.

/** The name of the workflow. */
export const LONG_NAME = 'reconcile-the-warehouse-stock-with-every-supplier-before-the-quarter-ends';

/** Its files. */
export const HARD_NAMES: Readonly<Record<string, string>> = {
  '.pawl/workflows/long.yaml': `apiVersion: pawl.dev/v1
kind: Workflow
metadata:
  name: ${LONG_NAME}
  description: "Compares what the warehouse counted with what each supplier says that it delivered, line by line, and asks the people who signed for it wherever the two differ by more than the usual loss."
stages:
  - id: compare_the_count_of_the_warehouse_with_the_delivery_notes
    type: command
    run: "seq -f 'line %g of the delivery notes has been compared with the count of the warehouse' 1 60"
    on_success: ask_the_people_who_signed_for_it
    on_error: write_down_the_usual_loss_per_supplier
  - id: write_down_the_usual_loss_per_supplier
    type: command
    run: "true"
    on_complete: ask_the_people_who_signed_for_it
  - id: ask_the_people_who_signed_for_it
    type: human
    prompt: Averyveryverylongwordwithoutanyspaceinitthatnobodywouldwritebutaprogramdoes-0123456789-0123456789-0123456789-0123456789
    options:
      - { label: accept-the-difference-and-tell-the-supplier, goto: complete }
      - { label: count-again, goto: compare_the_count_of_the_warehouse_with_the_delivery_notes, requires_input: true }
`,
  '.pawl/workflows/broken.yaml': `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: broken }
stages:
  - { id: build, type: command, run: npm run build, on_complete: tset }
  - { id: test, type: command, run: npm test, on_complete: complete }
`,
};
