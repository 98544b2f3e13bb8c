/** Returns the text that a button copies: its own, the content of a URL, or the preceding field or text. */
async function textToCopy(button: HTMLElement): Promise<string> {
  const { text, from } = button.dataset;
  if (text !== undefined) return text;
  if (from !== undefined) return (await fetch(from)).text();
  const source = button.previousElementSibling;
  return source instanceof HTMLInputElement ? source.value : (source?.textContent ?? '');
}

async function write(text: string, button: Element): Promise<void> {
  // Browsers provide the clipboard API only over TLS or on localhost.
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  button.after(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('button.copy') : null;
  if (!button) return;
  await write(await textToCopy(button), button);
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2_000);
});

function addButton(place: Element, what: string, data: Readonly<Record<string, string>>, inside = false): void {
  if ((inside ? place.lastElementChild : place.nextElementSibling)?.matches('button.copy')) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', `Copy ${what}`);
  Object.assign(button.dataset, data);
  if (inside) place.append(button);
  else place.after(button);
}

function addButtons(): void {
  for (const source of document.querySelectorAll('input[data-copy]')) addButton(source, 'the address', {});
  for (const source of document.querySelectorAll('.text pre > code, pre.box > code')) addButton(source, 'the text', {});
  for (const source of document.querySelectorAll<HTMLElement>('span[data-copy], code[data-copy]'))
    addButton(source, source.dataset.copy ?? '', { text: source.dataset.copy ?? '' });
  for (const source of document.querySelectorAll<HTMLElement>('[data-copy-last]'))
    addButton(source, 'the path', { text: source.dataset.copyLast ?? '' }, true);
  for (const source of document.querySelectorAll<HTMLElement>('[data-copy-from]'))
    addButton(source, 'the file', { from: source.dataset.copyFrom ?? '' });
}

document.addEventListener('turbo:load', addButtons);
// A live update drops the buttons.
document.addEventListener('turbo:morph-element', () => requestAnimationFrame(addButtons));
