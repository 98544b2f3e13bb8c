// Keyed by user, because the session can expire and another user can sign in.
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
// Fields created by a script.
document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLTextAreaElement && target.matches('[data-draft]')) restore(target);
});

// Remove a draft only after the server has accepted it. When the submission ends, the URL is already that of the next
// page.
document.addEventListener('turbo:before-fetch-response', (event) => {
  const { fetchResponse } = (event as CustomEvent<{ fetchResponse: { succeeded: boolean; location: URL } }>).detail;
  if (!fetchResponse.succeeded || !(event.target instanceof HTMLFormElement)) return;
  // The session expired: the draft is restored after signing in.
  if (fetchResponse.location.pathname.endsWith('/users/sign_in')) return;
  for (const field of fieldsOf(event.target)) sessionStorage.removeItem(keyOf(field));
});

// The next user of this browser must not see drafts.
document.addEventListener('submit', (event) => {
  // Not the `action` property, which a field of that name shadows.
  const action = event.target instanceof HTMLFormElement ? event.target.getAttribute('action') : null;
  if (action?.endsWith('/users/sign_out')) sessionStorage.clear();
});

// A live update must not discard what the user is typing.
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
// Keep what the user has opened or closed.
document.addEventListener('turbo:before-morph-attribute', (event) => {
  const { attributeName } = (event as CustomEvent<{ attributeName: string }>).detail;
  if (event.target instanceof HTMLDetailsElement && attributeName === 'open') event.preventDefault();
});
