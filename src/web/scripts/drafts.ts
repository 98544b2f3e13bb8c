// By who writes: a session can end by itself, and somebody else sign in after it.
const keyOf = (field: HTMLTextAreaElement) =>
  `draft ${document.body.dataset.reader ?? ''} ${location.pathname} ${field.form?.action ?? ''} ${field.name} ${field.dataset.draft ?? ''}`;

const fieldsOf = (root: ParentNode) =>
  root.querySelectorAll<HTMLTextAreaElement>('textarea[name]:not([data-no-draft])');

document.addEventListener('input', (event) => {
  const field = event.target;
  if (!(field instanceof HTMLTextAreaElement) || !field.matches('[name]:not([data-no-draft])')) return;
  if (field.value === field.defaultValue) sessionStorage.removeItem(keyOf(field));
  else sessionStorage.setItem(keyOf(field), field.value);
});

function restore(field: HTMLTextAreaElement): void {
  const kept = sessionStorage.getItem(keyOf(field));
  if (kept !== null && field.value === field.defaultValue) field.value = kept;
}

document.addEventListener('turbo:load', () => {
  for (const field of fieldsOf(document)) restore(field);
});
// One that a script has made.
document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLTextAreaElement && target.matches('[data-draft]')) restore(target);
});

// Only what has arrived may be forgotten here. At the end of the submission the address is that of the next page already.
document.addEventListener('turbo:before-fetch-response', (event) => {
  const { fetchResponse } = (event as CustomEvent<{ fetchResponse: { succeeded: boolean; location: URL } }>).detail;
  if (!fetchResponse.succeeded || !(event.target instanceof HTMLFormElement)) return;
  // The session was over: what was typed is there again after the next one has begun.
  if (fetchResponse.location.pathname.endsWith('/users/sign_in')) return;
  for (const field of fieldsOf(event.target)) sessionStorage.removeItem(keyOf(field));
});

// Whoever signs in next on this machine must not read what was typed.
document.addEventListener('submit', (event) => {
  // Not by the property: a field of that name hides it.
  const action = event.target instanceof HTMLFormElement ? event.target.getAttribute('action') : null;
  if (action?.endsWith('/users/sign_out')) sessionStorage.clear();
});

// A live part that changes must not take away what somebody is typing in it.
document.addEventListener('turbo:before-morph-element', (event) => {
  const { target } = event;
  const isChanged =
    (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) &&
    target.type !== 'hidden' &&
    (target === document.activeElement ||
      target.value !== target.defaultValue ||
      (target instanceof HTMLInputElement && target.checked !== target.defaultChecked));
  if (isChanged) event.preventDefault();
});
// What the reader has opened or closed stays so.
document.addEventListener('turbo:before-morph-attribute', (event) => {
  const { attributeName } = (event as CustomEvent<{ attributeName: string }>).detail;
  if (event.target instanceof HTMLDetailsElement && attributeName === 'open') event.preventDefault();
});
