let pending = '';

/** Fields that take text; checkboxes do not block shortcuts. */
const fields = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]';

const isTyping = (target: EventTarget | null) => target instanceof Element && target.closest(fields) !== null;

function go(target: string): void {
  if (target.startsWith('#')) document.querySelector<HTMLElement>(target)?.focus();
  else Turbo.visit(target);
}

/** Moves the focus by `step` entries in a list, or files in a diff. */
function move(step: number): void {
  const inList = document.querySelectorAll<HTMLElement>('.list > li a.main');
  const links = [...(inList.length > 0 ? inList : document.querySelectorAll<HTMLElement>('section.box > header a'))];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = links[Math.min(Math.max(at + step, 0), links.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Moves the focus by `step` unresolved threads, and opens the file of the thread. */
function moveThread(step: number): void {
  const threads = [...document.querySelectorAll<HTMLElement>('.thread[data-open]')];
  const at = threads.findIndex((thread) => thread.contains(document.activeElement));
  const next = threads[at < 0 && step < 0 ? threads.length - 1 : (at + step + threads.length) % threads.length];
  next?.closest('.viewed')?.classList.remove('viewed');
  next?.focus();
  next?.scrollIntoView({ block: 'center' });
}

/** Single-key shortcuts can be disabled, for users of speech input or those who press keys by accident. */
const switchedOff = 'without-shortcuts';
const areOff = () => localStorage.getItem(switchedOff) !== null;

function addButton(form: HTMLFormElement, text: string, act: (button: HTMLButtonElement) => void): void {
  const button = document.createElement('button');
  button.textContent = text;
  button.addEventListener('click', () => act(button));
  form.append(button);
}

/** Shows the list of shortcuts, which is also a page for use without scripts. */
async function showShortcuts(): Promise<void> {
  const known = document.querySelector<HTMLDialogElement>('dialog.shortcuts');
  if (known) return known.showModal();
  const link = document.querySelector<HTMLAnchorElement>('a[data-shortcut-list]');
  if (!link) return;
  const page = new DOMParser().parseFromString(await (await fetch(link.href)).text(), 'text/html');
  const dialog = document.createElement('dialog');
  dialog.className = 'shortcuts';
  dialog.setAttribute('aria-label', 'Keyboard shortcuts');
  const form = document.createElement('form');
  form.method = 'dialog';
  form.className = 'row';
  addButton(form, 'Close', () => undefined);
  addButton(form, areOff() ? 'Switch them on' : 'Switch them off', (button) => {
    if (areOff()) localStorage.removeItem(switchedOff);
    else localStorage.setItem(switchedOff, '1');
    button.textContent = areOff() ? 'Switch them on' : 'Switch them off';
  });
  dialog.append(...(page.querySelector('main')?.children ?? []), form);
  document.body.append(dialog);
  dialog.showModal();
  // Focusing the button at the end scrolls down; start at the top.
  dialog.scrollTop = 0;
}

function onKey(event: KeyboardEvent): void {
  const { target, key } = event;
  if (key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    const form = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement ? target.form : null;
    if (form) event.preventDefault();
    form?.requestSubmit();
    return;
  }
  if (isTyping(target)) {
    if (key === 'Escape') (target as HTMLElement).blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = pending === '' ? key : `${pending} ${key}`;
  pending = key === 'g' && pending === '' ? 'g' : '';
  if (keys === '?') showShortcuts();
  else if (areOff()) return;
  else if (keys === 'j' || keys === ']') move(1);
  else if (keys === 'k' || keys === '[') move(-1);
  else if (keys === 'n' || keys === 'p') moveThread(keys === 'n' ? 1 : -1);
  else if (!follow(keys, event)) dispatchShortcut(keys, event);
}

/** Goes to the shortcut's target that the page declares. */
function follow(keys: string, event: KeyboardEvent): boolean {
  const targets = JSON.parse(document.body.dataset.shortcuts ?? '{}') as Record<string, string>;
  const address = targets[keys];
  if (address === undefined) return false;
  event.preventDefault();
  // The permalink keeps the selected lines.
  go(keys === 'y' ? address + location.hash : address);
  return true;
}

/** Lets other scripts handle a shortcut. */
function dispatchShortcut(keys: string, event: KeyboardEvent): void {
  const shortcutEvent = new CustomEvent('shortcut', { detail: keys, cancelable: true });
  if (!document.dispatchEvent(shortcutEvent)) event.preventDefault();
}

document.addEventListener('keydown', onKey);
document.addEventListener('turbo:before-cache', () => document.querySelector('dialog.shortcuts')?.remove());
