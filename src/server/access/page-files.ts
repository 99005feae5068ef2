// Owns the two files that the pages of access load: their styles, and the script that talks to the authenticator. They
// depend on nothing else, so that a person can log in and decide where the dashboard cannot be loaded.

/** The styles: readable at 360 px, in light and in dark. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ground: light-dark(#ffffff, #16181d);
  --text: light-dark(#1b1f24, #e6e8eb);
  --quiet: light-dark(#57606a, #9aa3ad);
  --line: light-dark(#d0d7de, #363b43);
  --box: light-dark(#f6f8fa, #1f232a);
  --accent: light-dark(#0b57d0, #8ab4f8);
  --on-accent: light-dark(#ffffff, #10131a);
  --warn: light-dark(#fff4ce, #3b3011);
  --gone: light-dark(#ffebe9, #3d1a1a);
  --new: light-dark(#e6ffec, #12311d);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 1.25rem 0 0.35rem; overflow-wrap: anywhere; }
p { margin: 0.5rem 0; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: 0.875rem; }
.text, pre { white-space: pre-wrap; overflow-wrap: anywhere; }
pre { margin: 0; padding: 0.75rem; border: 1px solid var(--line); border-radius: 6px; background: var(--box); font: 0.8125rem/1.45 ui-monospace, monospace; }
pre.long { max-height: 60vh; overflow: auto; }
.gone { background: var(--gone); }
.new { background: var(--new); }
.notice { padding: 0.75rem; border: 1px solid var(--line); border-radius: 6px; background: var(--warn); }
a { color: var(--accent); }
form { margin: 1.25rem 0 0; }
label { display: block; margin: 0.75rem 0 0.25rem; }
textarea, input[type='text'] { width: 100%; padding: 0.6rem; border: 1px solid var(--quiet); border-radius: 6px; background: var(--ground); color: var(--text); font: inherit; }
.choices { display: flex; flex-direction: column; gap: 0.6rem; margin-top: 0.75rem; }
button { width: 100%; min-height: 44px; padding: 0.6rem 1rem; border: 1px solid var(--accent); border-radius: 6px; background: var(--ground); color: var(--accent); font: inherit; font-weight: 600; text-align: left; overflow-wrap: anywhere; cursor: pointer; }
button.main { background: var(--accent); color: var(--on-accent); }
button small { display: block; font-weight: 400; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[hidden] { display: none; }
`;

/** The script of the pages that use a passkey: to log in, to register one, and to sign a decision. */
export const SCRIPT = `const bytesOf = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const textOf = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '');

const post = async (path, body) => {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-pawl': '1', 'x-pawl-page': localStorage.getItem('pawl-page') ?? '' },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail);
  return answer;
};

const withIds = (list) => (list ?? []).map((credential) => ({ ...credential, id: bytesOf(credential.id) }));

const answerOf = (credential, response) => ({
  id: credential.id,
  rawId: textOf(credential.rawId),
  type: credential.type,
  clientExtensionResults: credential.getClientExtensionResults(),
  response: { clientDataJSON: textOf(credential.response.clientDataJSON), ...response },
});

const create = async (options) => {
  const credential = await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: bytesOf(options.challenge),
      user: { ...options.user, id: bytesOf(options.user.id) },
      excludeCredentials: withIds(options.excludeCredentials),
    },
  });
  return answerOf(credential, {
    attestationObject: textOf(credential.response.attestationObject),
    transports: credential.response.getTransports?.() ?? [],
  });
};

const assert = async (options) => {
  const credential = await navigator.credentials.get({
    publicKey: { ...options, challenge: bytesOf(options.challenge), allowCredentials: withIds(options.allowCredentials) },
  });
  const { authenticatorData, signature } = credential.response;
  return answerOf(credential, { authenticatorData: textOf(authenticatorData), signature: textOf(signature) });
};

const actions = {
  login: async (button) => {
    const { options } = await post('/auth/passkey/options', {});
    const { page } = await post('/auth/passkey', { response: await assert(options) });
    localStorage.setItem('pawl-page', page);
    location.assign(button.dataset.next);
  },
  register: async (button) => {
    const { options } = await post('/api/v1/passkeys/options', {});
    await post('/api/v1/passkeys', { response: await create(options), title: document.querySelector('[name=title]').value });
    location.assign(button.dataset.next);
  },
};

// After a login: only pages of this port can read the storage, while the cookie is sent to every port of the machine.
const loggedIn = document.querySelector('[data-page]');
if (loggedIn !== null) {
  localStorage.setItem('pawl-page', loggedIn.dataset.page);
  location.replace(loggedIn.dataset.next);
}

const failure = document.querySelector('[data-error]');
const run = async (action) => {
  failure.hidden = true;
  try {
    await action();
  } catch (error) {
    failure.textContent = error.name === 'NotAllowedError' ? 'The passkey was not used: the request was cancelled or timed out.' : error.message;
    failure.hidden = false;
  }
};

for (const button of document.querySelectorAll('button[data-act]'))
  button.addEventListener('click', () => run(() => actions[button.dataset.act](button)));

// A decision that must be signed: the passkey signs what was shown and chosen, then the form is sent with the signature.
for (const form of document.querySelectorAll('form[data-sign]'))
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const option = event.submitter.value;
    run(async () => {
      const { digest, input } = form.elements;
      const { options } = await post(form.dataset.sign, { digest: digest.value, option, input: input?.value ?? '' });
      form.elements.passkey.value = JSON.stringify(await assert(options));
      form.elements.option.value = option;
      form.submit();
    });
  });
`;
