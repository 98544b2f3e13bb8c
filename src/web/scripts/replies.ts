// Keyboard shortcuts for replying.

/** The reply field of the thread at an element, or that of the page. */
function answerTo(place: Element | null): HTMLTextAreaElement | null {
  const reply = place?.closest('.thread')?.querySelector<HTMLDetailsElement>(':scope > footer > details');
  if (!reply) return document.querySelector('form[action$="/notes"] textarea[data-markdown]');
  reply.open = true;
  return reply.querySelector('textarea');
}

/** Starts a reply that quotes the selected text, or a reply to the focused comment. */
function quote(): boolean {
  const chosen = getSelection();
  const words = chosen?.toString().trim() ?? '';
  const node = words === '' ? document.activeElement : chosen?.anchorNode;
  const field = answerTo(node instanceof Element ? node : (node?.parentElement ?? null));
  if (!field) return false;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
  const quoted = words.split('\n').map((line) => `> ${line}`);
  const before = field.value === '' || field.value.endsWith('\n') ? '' : '\n\n';
  if (words !== '') document.execCommand('insertText', false, `${before}${quoted.join('\n')}\n\n`);
  return true;
}

/** Opens the user's last comment for editing. */
function changeLast(): boolean {
  const last = [...document.querySelectorAll('article[id^="note_"] form[action$="/edit"]')].at(-1);
  const details = last?.closest('details');
  const field = last?.querySelector<HTMLTextAreaElement>('textarea');
  if (!details || !field) return false;
  details.open = true;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
  return true;
}

document.addEventListener('shortcut', (event) => {
  if (!(event instanceof CustomEvent)) return;
  if (event.detail === 'r' && quote()) event.preventDefault();
  if (event.detail === 'b') document.querySelector<HTMLElement>('[data-branch] + button.copy')?.click();
});

document.addEventListener('keydown', (event) => {
  const { target } = event;
  const begun = target instanceof HTMLTextAreaElement && target.form?.matches('[action$="/notes"]');
  if (begun && event.key === 'ArrowUp' && target.value === '' && changeLast()) event.preventDefault();
});
