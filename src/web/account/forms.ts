import type { SettingsForm } from '../forms/settings-form.ts';

export const profile: SettingsForm = {
  path: '/-/user_settings/profile',
  title: 'Profile',
  intro: 'Your public profile. Your name and address can be changed by an administrator.',
  api: '/user/status',
  method: 'PUT',
  fields: [
    { name: 'message', label: 'Status', hint: 'For example, what you are working on' },
    { name: 'emoji', label: 'Emoji', placeholder: 'speech_balloon' },
    {
      name: 'availability',
      label: 'You are',
      kind: 'select',
      options: [
        ['not_set', 'There'],
        ['busy', 'Busy'],
      ],
    },
  ],
  prepare: ({ emoji, ...sent }) => (emoji === '' ? sent : { ...sent, emoji }),
};

export const notifications: SettingsForm = {
  path: '/-/profile/notifications',
  title: 'Notifications',
  intro: 'The emails that you receive. Each project can override this on its page.',
  api: '/notification_settings',
  method: 'PUT',
  fields: [
    {
      name: 'level',
      label: 'Notify me about',
      kind: 'select',
      options: [
        ['participating', 'Items I participate in'],
        ['watch', 'Everything in my projects'],
        ['mention', 'Mentions'],
        ['custom', 'Custom'],
        ['disabled', 'Nothing'],
      ],
    },
  ],
};

export const preferences: SettingsForm = {
  path: '/-/profile/preferences',
  title: 'Preferences',
  intro: 'Choose between light, dark and high contrast at the bottom of every page.',
  api: '/user/preferences',
  method: 'PUT',
  fields: [
    { name: 'view_diffs_file_by_file', label: 'Show one changed file at a time', kind: 'check' },
    { name: 'show_whitespace_in_diffs', label: 'Show whitespace changes', kind: 'check' },
  ],
};
