// Shortcuts, drafts and copy buttons. Every page can be read and every form sent without it.
const targets = JSON.parse(document.body.dataset.shortcuts || '{}');
let pending = '';

const isTyping = (element) => element.closest('input, textarea, select, [contenteditable]') !== null;

function go(target) {
  if (target.startsWith('#')) document.querySelector(target)?.focus();
  else location.assign(target);
}

document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.form) {
    event.preventDefault();
    event.target.form.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const keys = pending === '' ? event.key : `${pending} ${event.key}`;
  pending = event.key === 'g' && pending === '' ? 'g' : '';
  if (event.key === '?') return location.assign(document.querySelector('footer a').href);
  if (event.key === 'j' || event.key === 'k') return move(event.key === 'j' ? 1 : -1);
  const target = targets[keys];
  if (target === undefined) return;
  event.preventDefault();
  go(target);
});

function move(step) {
  const links = [...document.querySelectorAll('.list > li a.main')];
  const at = links.indexOf(document.activeElement);
  links[Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
}

// What was typed survives a reload, and goes when the form is sent.
for (const field of document.querySelectorAll('textarea[name]')) {
  const key = `draft ${location.pathname} ${field.name}`;
  if (field.value === '') field.value = sessionStorage.getItem(key) || '';
  field.addEventListener('input', () => sessionStorage.setItem(key, field.value));
  field.form?.addEventListener('submit', () => sessionStorage.removeItem(key));
}

for (const field of document.querySelectorAll('input[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(field.value);
    button.textContent = 'Copied';
  });
  field.after(button);
}

const finder = document.querySelector('input[data-filter]');
finder?.addEventListener('input', () => {
  const letters = finder.value.toLowerCase();
  for (const item of document.querySelectorAll(`${finder.dataset.filter} > li`)) {
    item.hidden = !item.textContent.toLowerCase().includes(letters);
  }
});
