/** The page's entry: mounts the app. */
import ui from '@nuxt/ui/vue-plugin';
import { createApp } from 'vue';
import { createRouter, createWebHashHistory } from 'vue-router';
import App from './App.vue';
import '../styles/main.css';

// The address after `#` is the page's own: the app's scheme and the server both know only index.html.
const router = createRouter({
  history: createWebHashHistory(),
  routes: [{ path: '/:rest(.*)*', component: { render: () => null } }],
});

createApp(App).use(router).use(ui).mount('#app');
