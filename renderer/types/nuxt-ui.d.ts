/** Nuxt UI's components as templates know them: the build finds them by name; here each one that is used gets its type. */
import type App from '@nuxt/ui/components/App.vue';
import type Button from '@nuxt/ui/components/Button.vue';

declare module 'vue' {
  export interface GlobalComponents {
    UApp: typeof App;
    UButton: typeof Button;
  }
}
