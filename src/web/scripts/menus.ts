// Closes menus when the user leaves them, and scrolls the current tab into view.

function closeMenus(except: Node | null): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]'))
    if (!menu.contains(except)) menu.open = false;
}

document.addEventListener('click', ({ target }) => closeMenus(target instanceof Node ? target : null));
document.addEventListener('turbo:before-cache', () => closeMenus(null));

document.addEventListener('keydown', (event) => {
  // Not `activeElement`: a field of the menu has lost the focus by now.
  const menu = event.target instanceof Element ? event.target.closest<HTMLDetailsElement>('details.menu[open]') : null;
  if (event.key !== 'Escape' || !menu) return;
  menu.open = false;
  menu.querySelector('summary')?.focus();
});

// On narrow screens the tabs overflow.
document.addEventListener('turbo:load', () => {
  const current = document.querySelector<HTMLElement>('nav.tabs [aria-current]');
  const tabs = current?.parentElement;
  if (tabs) tabs.scrollLeft = current.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2;
});
