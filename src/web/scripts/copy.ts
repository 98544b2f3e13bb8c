/** What a button copies: the field or the text before it. */
function textBefore(button: Element): string {
  const source = button.previousElementSibling;
  return source instanceof HTMLInputElement ? source.value : (source?.textContent ?? '');
}

async function write(text: string, button: Element): Promise<void> {
  // Browsers hand the clipboard only to pages that came over TLS, or from this machine.
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  button.after(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest('button.copy') : null;
  if (!button) return;
  await write(textBefore(button), button);
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2_000);
});

document.addEventListener('turbo:load', () => {
  for (const source of document.querySelectorAll('input[data-copy], .text pre > code, pre.box > code')) {
    if (source.nextElementSibling?.matches('button.copy')) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    source.after(button);
  }
});
