/** The screens. Addresses live after `#`: the app's scheme and the server both know only index.html. */
import { createRouter, createWebHashHistory } from 'vue-router';
import HomePage from '../pages/HomePage.vue';

export const router = createRouter({
  history: createWebHashHistory(),
  routes: [
    { path: '/', name: 'home', component: HomePage },
    { path: '/new/:draft/:step', name: 'wizard', component: () => import('../pages/WizardPage.vue'), props: true },
    { path: '/project/:id', name: 'project', component: () => import('../pages/ProjectPage.vue'), props: true },
    { path: '/project/:id/rate', name: 'rating', component: () => import('../pages/RatingPage.vue'), props: true },
    {
      path: '/compare',
      name: 'compare',
      component: () => import('../pages/ComparePage.vue'),
      props: ({ query }) => ({
        ids: [...new Set(String(query['runs'] ?? '').split(','))].filter((id) => id !== ''),
        baseline: query['baseline'] ? String(query['baseline']) : null,
      }),
    },
    { path: '/write', name: 'write', component: () => import('../pages/WritePage.vue') },
    { path: '/settings', name: 'settings', component: () => import('../pages/SettingsPage.vue') },
    { path: '/:rest(.*)*', name: 'missing', component: () => import('../pages/MissingPage.vue') },
  ],
});
