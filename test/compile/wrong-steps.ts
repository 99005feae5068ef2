// Workflows of one wrong step that must not compile, and what the compiler has to say at that step: `name | step | words`.

/** The wrong steps: each is put before a step "end". */
export const WRONG_STEPS = `
a next that is no step | a: { command: 'x', next: 'ned' }, | '"ned"'
a next in capitals | a: { command: 'x', next: 'End' }, | '"End"'
a number as next | a: { command: 'x', next: 1 }, | 'number'
true as next | a: { command: 'x', next: true }, | 'true'
a list as next | a: { command: 'x', next: ['end'] }, | steps have no outcome
a misspelt end | a: { command: 'x', next: 'completed' }, | '"completed"'
no next | a: { command: 'x' }, | Property 'next' is missing
no next on a gate | a: { gate: { checks: ['x'] } }, | Property 'next' is missing
no next on an agent | a: { agent: 'dev' }, | Property 'next' is missing
no next on a question without options | a: { human: { prompt: 'p' } }, | Property 'next' is missing
no next, and an option that leads nowhere | a: { human: { prompt: 'p', options: [{ label: 'yes', nextStep: 'end' }, { label: 'no' }] } }, | Property 'next' is missing
undefined as next | a: { command: 'x', next: undefined }, | 'undefined'
a target that is no step, by outcome | a: { command: 'x', next: { ok: 'ned' } }, | '"ned"'
an unknown outcome | a: { command: 'x', next: { okay: 'end' } }, | "command" steps have no outcome "okay"
an outcome in capitals | a: { command: 'x', next: { OK: 'end' } }, | "command" steps have no outcome
an outcome of another kind | a: { gate: { checks: ['x'] }, next: { ok: 'end', conflict: 'end' } }, | "gate" steps have no outcome
the outcome of groups on a command | a: { command: 'x', next: { ok: 'end', reject_all: 'end' } }, | "command" steps have no outcome
a bounded target that is no step | a: { command: 'x', next: { to: 'ned', maxIterations: 3 } }, | '"ned"'
a bound in words | a: { command: 'x', next: { to: 'end', maxIterations: 'three' } }, | 'string'
a misspelt bound | a: { command: 'x', next: { to: 'end', maxIteration: 3 } }, | 'maxIteration'
an exhausted bound that leads to no step | a: { command: 'x', next: { to: 'end', maxIterations: 3, onExhausted: 'ned' } }, | '"ned"'
a bounded target that is no step, by outcome | a: { gate: { checks: ['x'] }, next: { ok: 'end', fail: { to: 'aa', maxIterations: 3 } } }, | '"aa"'
a misspelt bound, by outcome | a: { gate: { checks: ['x'] }, next: { ok: 'end', fail: { to: 'a', max: 3 } } }, | 'max'
a condition without onFalse | a: { command: 'x', next: { condition: 'result.ok', onTrue: 'end' } }, | onFalse
a condition with a wrong target | a: { command: 'x', next: { condition: 'result.ok', onTrue: 'end', onFalse: 'aa' } }, | '"aa"'
a condition that is a function | a: { command: 'x', next: { condition: () => true, onTrue: 'end', onFalse: 'a' } }, | 'string'
a condition with a misspelt field | a: { command: 'x', next: { condition: 'x', onTrue: 'end', onFalse: 'a', otherwise: 'a' } }, | 'otherwise'
a condition by outcome with a wrong target | a: { command: 'x', next: { ok: { condition: 'x', onTrue: 'ned', onFalse: 'a' } } }, | '"ned"'
two kinds | a: { command: 'x', handler: () => 1, next: 'end' }, | one kind per step
a gate and an agent | a: { agent: 'dev', gate: { checks: ['x'] }, next: 'end' }, | one kind per step
no kind | a: { next: 'end' }, | this step does nothing
no kind, and a title | a: { title: 'A', next: 'end' }, | this step does nothing
an empty step | a: {}, | next
a misspelt kind | a: { comand: 'x', next: 'end' }, | this step does nothing
a step that is a text | a: 'npm test', | this step does nothing
an unknown field | a: { command: 'x', retires: 3, next: 'end' }, | "command" steps have no field "retires"
a field of another kind | a: { command: 'x', prompt: 'p', next: 'end' }, | "command" steps have no field
an id inside of a step | a: { id: 'a', command: 'x', next: 'end' }, | "command" steps have no field
a name inside of a step | a: { name: 'a', command: 'x', next: 'end' }, | "command" steps have no field
the other spelling of a question | a: { command: 'x', humanGate: { prompt: 'p' }, next: 'end' }, | "command" steps have no field
the other spelling of a fan-out | a: { command: 'x', parallelKey: 'areas', next: 'end' }, | "command" steps have no field
an unknown field of a step with instructions only | a: { actions: ['x'], prompts: 'p', next: 'end' }, | "plain" steps have no field
a command that is a number | a: { command: 5, next: 'end' }, | Type 'number' is not assignable to type 'string | readonly string[]'
a command with numbers | a: { command: ['sleep', 5], next: 'end' }, | Type 'number' is not assignable to type 'string'
an environment with a number | a: { command: 'x', env: { PORT: 80 }, next: 'end' }, | 'number'
a handler that is a text | a: { handler: 'x', next: 'end' }, | Type 'string' is not assignable to type '(ctx: 
a timeout in words | a: { command: 'x', timeout: '5 minutes', next: 'end' }, | 5 minutes
a timeout without a unit | a: { command: 'x', timeout: '5', next: 'end' }, | '"5"'
a retry in words | a: { command: 'x', retry: 'twice', next: 'end' }, | Type 'string' is not assignable to type 'Retry
a retry for an unknown outcome | a: { command: 'x', retry: { max: 2, on: ['fail'] }, next: 'end' }, | fail
a retry with a misspelt field | a: { command: 'x', retry: { max: 2, delay: '5s' }, next: 'end' }, | 'delay'
an unknown recovery | a: { command: 'x', recovery: 'retry', next: 'end' }, | retry
slots that are a text | a: { command: 'x', slots: 'db', next: 'end' }, | Type 'string' is not assignable to type 'readonly string[]'
a condition of a step that is a function | a: { command: 'x', condition: () => true, next: 'end' }, | 'string'
a postcondition without an error | a: { command: 'x', postconditions: [{ name: 'n', check: 'result.ok' }], next: 'end' }, | error
a postcondition that gives no answer | a: { command: 'x', postconditions: [{ name: 'n', check: () => 'yes', error: 'e' }], next: 'end' }, | Type '() => string' is not assignable
a postcondition that is no list | a: { command: 'x', postconditions: { name: 'n', check: 'x', error: 'e' }, next: 'end' }, | readonly StepCondition<
a precondition with a misspelt field | a: { command: 'x', preconditions: [{ name: 'n', check: 'x', err: 'e' }], next: 'end' }, | err
a delay in words | a: { delay: 'soon', next: 'end' }, | soon
a poll without an interval | a: { delay: { duration: '1h', poll: { condition: 'x' } }, next: 'end' }, | interval
a signal that is a number | a: { signal: 5, next: 'end' }, | 'string'
a webhook without a URL | a: { webhook: { request: { method: 'GET' } }, next: 'end' }, | url
a webhook that expects a text | a: { webhook: { request: { url: 'https://x' }, expect: { status: '200' } }, next: 'end' }, | 'number'
an unknown action of the forge | a: { forge: { action: 'merge' }, next: 'end' }, | merge
an action with a field of another | a: { forge: { action: 'close_issue', method: 'squash' }, next: 'end' }, | 'method'
an action without its field | a: { forge: { action: 'create_issue' }, next: 'end' }, | title
an unknown method of a merge | a: { forge: { action: 'merge_pr', method: 'octopus' }, next: 'end' }, | octopus
stages that are a number | a: { validate: { stages: 3 }, next: 'end' }, | Type 'number' is not assignable to type 'string | readonly string[] | undefined'
an agent that is a number | a: { agent: 5, next: 'end' }, | Type 'number' is not assignable to type 'string | LiveAgent'
a prompt whose function gives a list | a: { agent: 'dev', prompt: () => ['x'], next: 'end' }, | string
a prompt that is a number | a: { agent: 'dev', prompt: 5, next: 'end' }, | number
a prompt that reads an unknown result | a: { agent: 'dev', prompt: (ctx) => String(ctx.results.b), next: 'end' }, | 'b'
an environment that reads an unknown parameter | a: { command: 'x', env: { T: (ctx) => String(ctx.params.titel) }, next: 'end' }, | titel
an environment whose function gives a list | a: { command: 'x', env: { T: () => [] }, next: 'end' }, | Type '() => never[]' is not assignable to type 'string | ((ctx: 
a question whose function gives nothing | a: { human: { prompt: () => undefined }, next: { approve: 'end' } }, | Type '() => undefined' is not assignable to type 'string | ((ctx: 
a header whose function gives an object | a: { webhook: { request: { url: 'https://x', headers: { A: () => ({}) } } }, next: 'end' }, | Type '() => {}' is not assignable to type 'string | ((ctx: 
a command that is a function | a: { command: (ctx) => 'x', next: 'end' }, | is not assignable to type 'string | readonly string[]' ## implicitly has an 'any' type
a comment whose function gives a list | a: { forge: { action: 'comment', message: () => [] }, next: 'end' }, | Type '() => never[]' is not assignable to type 'string | ((ctx: 
the environment of a check whose function gives a list | a: { gate: { checks: [{ check: 'command', run: 'x', env: { T: () => [] } }] }, next: 'end' }, | Type '() => never[]' is not assignable to type 'string | ((ctx: 
a budget with an unknown field | a: { agent: 'dev', budget: { euros: 5 }, next: 'end' }, | euros
an unknown check | a: { gate: { checks: [{ check: 'comand', run: 'x' }] }, next: 'end' }, | comand
a check with a misspelt field | a: { gate: { checks: [{ check: 'command', cmd: 'x' }] }, next: 'end' }, | 'cmd' does not exist
a check with a field of another | a: { gate: { checks: [{ check: 'file_exists', paths: ['x'], run: 'x' }] }, next: 'end' }, | 'run'
a check without its field | a: { gate: { checks: [{ check: 'file_exists' }] }, next: 'end' }, | paths
a check without a name | a: { gate: { checks: [{ run: 'x' }] }, next: 'end' }, | check
a share as text | a: { gate: { checks: [{ check: 'coverage', minimum: 'eighty' }] }, next: 'end' }, | eighty
an unknown metric | a: { gate: { checks: [{ check: 'coverage', minimum: 80, metric: 'lines' }] }, next: 'end' }, | lines
an approval from nobody | a: { gate: { checks: [{ check: 'pr_approval', count: 2 }] }, next: 'end' }, | from
the second check is wrong | a: { gate: { checks: ['x', { check: 'webhook', uri: 'x' }] }, next: 'end' }, | uri
a wrong check inside of another | a: { gate: { checks: [{ check: 'any_of', checks: [{ check: 'comand', run: 'x' }] }] }, next: 'end' }, | comand
a gate without a list | a: { gate: { checks: 'x' }, next: 'end' }, | Type 'string' is not assignable to type 'readonly CheckSpec<
a gate with a misspelt field | a: { gate: { check: ['x'] }, next: 'end' }, | 'check' does not exist
a question without a prompt | a: { human: { show: ['x'] }, next: 'end' }, | prompt
the other spelling of what is shown | a: { human: { prompt: 'p', context: ['x'] }, next: 'end' }, | 'context'
an option without a label | a: { human: { prompt: 'p', options: [{ nextStep: 'end' }] } }, | label
an option that leads to no step | a: { human: { prompt: 'p', options: [{ label: 'yes', nextStep: 'ned' }] } }, | '"ned"'
an option with a misspelt field | a: { human: { prompt: 'p', options: [{ label: 'yes', nextStep: 'end', needsInput: true }] } }, | 'needsInput'
a wrong label in next | a: { human: { prompt: 'p', options: [{ label: 'publish' }, { label: 'rework' }] }, next: { publish: 'end', reword: 'a' } }, | "human" steps have no outcome
a wrong label where there are no options | a: { human: { prompt: 'p' }, next: { aprove: 'end', reject: 'a' } }, | "human" steps have no outcome
branches that are a list | a: { parallel: { branches: [{ command: 'x' }] }, next: 'end' }, | write branches by id
a branch with a next | a: { parallel: { branches: { x: { command: 'x', next: 'end' } } }, next: 'end' }, | a step inside a group has no
a branch without a kind | a: { parallel: { branches: { x: { title: 'X' } } }, next: 'end' }, | this step does nothing
a branch with two kinds | a: { parallel: { branches: { x: { command: 'x', agent: 'dev' } } }, next: 'end' }, | one kind per step
a wrong check in a branch | a: { parallel: { branches: { x: { gate: { checks: [{ check: 'comand', run: 'x' }] } } } }, next: 'end' }, | comand
an unknown join | a: { parallel: { branches: { x: { command: 'x' } }, join: 'some' }, next: 'end' }, | some
a fan-out without items | a: { each: { step: { command: 'x' } }, next: 'end' }, | items
a fan-out with a misspelt field | a: { each: { items: 'x', step: { command: 'x' }, concurency: 2 }, next: 'end' }, | concurency
a fan-out whose step has an unknown field | a: { each: { items: 'x', step: { command: 'x', prompt: 'p' } }, next: 'end' }, | steps have no field
the other name of the parameters | a: { handler: (ctx) => ctx.workflowParams, next: 'end' }, | 'workflowParams'
the other name of the data | a: { handler: (ctx) => ctx.stepState.n, next: 'end' }, | 'stepState'
what the engine context lacks | a: { handler: (ctx) => ctx.runid, next: 'end' }, | 'runid'
the result of a step that is not there | a: { handler: (ctx) => ctx.results.b, next: 'end' }, | 'b'
a result without the check that it is there | a: { handler: (ctx) => ctx.results.end.output, next: 'end' }, | possibly 'undefined'
a return value that the schema does not take | a: { handler: () => ({ size: 'big' }), output: sizeSchema, next: 'end' }, | Type 'string' is not assignable to type 'number'
an output without a pattern | a: { command: 'x', outputs: [{ name: 'o', type: 'file' }], next: 'end' }, | OutputSpec
an output of an unknown type | a: { command: 'x', outputs: [{ name: 'o', type: 'table', pattern: 'x' }], next: 'end' }, | table
a pull request with a pattern | a: { agent: 'dev', outputs: [{ name: 'o', type: 'pr', pattern: 'x' }], next: 'end' }, | 'pattern'
an effect without a function | a: { handler: () => 1, outputs: [{ name: 'o', type: 'effect' }], next: 'end' }, | OutputSpec
an output with a misspelt field | a: { command: 'x', outputs: [{ name: 'o', type: 'file', pattern: 'x', requried: true }], next: 'end' }, | 'requried'
outputs of a wait | a: { delay: '1s', outputs: [{ name: 'o', type: 'file', pattern: 'x' }], next: 'end' }, | "delay" steps have no field
outputs that are no list | a: { command: 'x', outputs: { name: 'o', type: 'file', pattern: 'x' }, next: 'end' }, | readonly OutputSpec<
an unknown freshness | a: { command: 'x', outputs: [], fresh: 'always', next: 'end' }, | always
an extension that starts a step that is not there | a: { command: 'x', timeout: '1m', extend: { by: '1m', onExtend: 'ned' }, next: 'end' }, | '"ned"'
an extension that starts a step that is no side step | a: { command: 'x', timeout: '1m', extend: { by: '1m', onExtend: 'end' }, next: 'end' }, | '"end"'
an extension in words | a: { command: 'x', extend: { by: 'more' }, next: 'end' }, | more
an extension without a span | a: { command: 'x', extend: { max: 2 }, next: 'end' }, | by
merges that are true | a: { command: 'x', merges: true, next: 'end' }, | 'true'
side that is false | a: { command: 'x', side: false, next: 'end' }, | Type 'false' is not assignable to type 'true' ## '"end"'
a side step in a group | a: { parallel: { branches: { x: { command: 'x', side: true } } }, next: 'end' }, | cannot be a side step
a side step that leads into the run | a: { command: 'x', side: true, next: 'end' }, | '"end"'
templates in words | a: { command: 'x', templates: 'yes', next: 'end' }, | 'string'
a session that another kind cannot continue | a: { command: 'x', continueSession: true, next: 'end' }, | "command" steps have no field
data of a transition that is a text | a: { command: 'x', next: { to: 'end', context: 'x' } }, | Type 'string' is not assignable to type 'JsonObject'
an output that is no schema | a: { handler: () => 1, output: { type: 'object' }, next: 'end' }, | 'type'
a child without its input beside a function | a: { parallel: { branches: { x: { workflow: adder }, y: { handler: (ctx) => ctx.attempt } } }, next: 'end' }, | Property 'input' is missing
a child with a wrong input beside a function | a: { parallel: { branches: { x: { workflow: adder, input: { n: 'x' } }, y: { handler: (ctx) => ctx.attempt } } }, next: 'end' }, | Type 'string' is not assignable to type 'number'
a child in a fan-out whose input is built wrongly | a: { each: { items: 'l', step: { workflow: adder, input: (ctx) => ({ n: ctx.runId }) } }, next: 'end' }, | Type 'string' is not assignable to type 'number'
a branch whose function contradicts its output | a: { parallel: { branches: { x: { handler: (ctx) => ({ size: ctx.runId }), output: sizeSchema } } }, next: 'end' }, | Type 'string' is not assignable to type 'number'
a branch with two kinds beside a function | a: { parallel: { branches: { x: { command: 'x', agent: 'dev' }, y: { handler: (ctx) => ctx.attempt } } }, next: 'end' }, | one kind per step
a branch with an unknown field beside a function | a: { parallel: { branches: { x: { command: 'x', retires: 1 }, y: { handler: (ctx) => ctx.attempt } } }, next: 'end' }, | "command" steps have no field
a fan-out whose function reads what is not there | a: { each: { items: 'l', step: { handler: (ctx) => ctx.atempt } }, next: 'end' }, | 'atempt'
a group in a group | a: { parallel: { branches: { x: { each: { items: 'l', step: { command: 'x' } } } } }, next: 'end' }, | a group cannot be inside a group
a group in a group beside a function | a: { parallel: { branches: { x: { each: { items: 'l', step: { command: 'x' } } }, y: { handler: (ctx) => ctx.attempt } } }, next: 'end' }, | a group cannot be inside a group
a wrong label in next of a question with a function | a: { human: { prompt: (ctx) => ctx.runId, options: [{ label: 'yes' }, { label: 'no' }] }, next: { yse: 'end', no: 'a' } }, | "human" steps have no outcome
no next on a question with a function | a: { human: { prompt: (ctx) => ctx.runId, options: [{ label: 'yes' }, { label: 'no' }] } }, | Property 'next' is missing ## implicitly has an 'any' type
a route that chooses an outcome it does not have | a: { agent: 'dev', route: { outcomes: ['more'], choose: (done) => ({ outcome: 'mroe', output: done.output }) }, next: { ok: 'end', more: 'a' } }, | Type '"mroe"' is not assignable to type
an argument that the step does not have | a: { args: { iteration: arg({ min: 1, default: 1 }) }, handler: (ctx) => ctx.args.iteratoin, next: 'end' }, | Did you mean 'iteration'?
instructions from a parameter that is not there | a: { actions: (params) => [params.topic], next: 'end' }, | 'topic'
a misspelt outcome of a function with an untyped ctx | a: { handler: (ctx) => (ctx.attempt > 5 ? 'ok' : 'fial'), next: { ok: 'end', fail: 'a' } }, | Type '"fial"' is not assignable to type
a misspelt outcome with data of a function with an untyped ctx | a: { handler: (ctx) => ['fial', { n: ctx.attempt }], next: { ok: 'end', fail: 'a' } }, | Type '"fial"' is not assignable to type 'Word'
a misspelt outcome of an async function with an untyped ctx | a: { handler: async (ctx) => ['fial', { n: ctx.attempt }], next: { ok: 'end', fail: 'a' } }, | is not assignable to type
a text where next names outcomes | a: { handler: (ctx) => ctx.runId, next: { ok: 'end', fail: 'a' } }, | Type 'string' is not assignable to type
a check about the pull request of a step that is not there | build: { command: 'x', next: 'a' }, a: { gate: { checks: [{ check: 'ci_status', pr: 'bild' }] }, next: 'end' }, | Did you mean '"build"'?
an action at the pull request of a step that is not there | build: { command: 'x', next: 'a' }, a: { forge: { action: 'comment', message: 'x', pr: 'bild' }, next: 'end' }, | Did you mean '"build"'?
a branch at the pull request of a step that is not there | build: { command: 'x', next: 'a' }, a: { parallel: { branches: { x: { forge: { action: 'merge_pr', pr: 'bild' } } } }, next: 'end' }, | Did you mean '"build"'?
a misspelt field that is merged | a: { handler: () => ({ size: 1 }), merges: ['sise'], next: 'end' }, | '"sise"' is not assignable to type '"size"'
a field of a result that has none | a: { handler: () => 3, merges: ['size'], next: 'end' }, | Type 'string' is not assignable to type 'never'
a misspelt outcome with data | a: { handler: () => ['fial', { n: 1 }] as const, next: { ok: 'end', fail: 'a' } }, | Type '"fial"' is not assignable to type 'Word'
a misspelt outcome beside a right one | a: { handler: (): 'ok'|'iterat' => 'ok', next: { ok: 'end', iterate: 'a' } }, | Did you mean '"iterate"'?
an undo that does two things | a: { command: 'x', undo: { command: 'y', handler: () => 1 }, next: 'end' }, | an undo does one thing
an undo that does nothing | a: { command: 'x', undo: { title: 'y' }, next: 'end' }, | an undo is a function, or it has a handler
an undo at the forge with a misspelt field | a: { command: 'x', undo: { forge: { action: 'create_issue', titel: 'x' } }, next: 'end' }, | Did you mean to write 'title'?
a reconciliation without its function | a: { command: 'x', recovery: 'reconcile', next: 'end' }, | this step lacks "reconcile"
a timeout of a check in words | a: { gate: { checks: [{ check: 'command', run: 'x', timeout: '5 minutes' }] }, next: 'end' }, | Type '"5 minutes"' is not assignable to type 'TimeSpan'
`;
