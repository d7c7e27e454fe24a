/** Nuxt UI's components as templates know them: the build finds them by name; here each one that is used gets its type. */
import type App from '@nuxt/ui/components/App.vue';
import type Button from '@nuxt/ui/components/Button.vue';
import type CommandPalette from '@nuxt/ui/components/CommandPalette.vue';
import type DropdownMenu from '@nuxt/ui/components/DropdownMenu.vue';
import type FormField from '@nuxt/ui/components/FormField.vue';
import type Icon from '@nuxt/ui/components/Icon.vue';
import type Input from '@nuxt/ui/components/Input.vue';
import type Kbd from '@nuxt/ui/components/Kbd.vue';
import type Modal from '@nuxt/ui/components/Modal.vue';
import type Select from '@nuxt/ui/components/Select.vue';
import type Skeleton from '@nuxt/ui/components/Skeleton.vue';
import type Switch from '@nuxt/ui/components/Switch.vue';
import type Textarea from '@nuxt/ui/components/Textarea.vue';
import type Tooltip from '@nuxt/ui/components/Tooltip.vue';

declare module 'vue' {
  export interface GlobalComponents {
    UApp: typeof App;
    UButton: typeof Button;
    UCommandPalette: typeof CommandPalette;
    UDropdownMenu: typeof DropdownMenu;
    UFormField: typeof FormField;
    UIcon: typeof Icon;
    UInput: typeof Input;
    UKbd: typeof Kbd;
    UModal: typeof Modal;
    USelect: typeof Select;
    USkeleton: typeof Skeleton;
    USwitch: typeof Switch;
    UTextarea: typeof Textarea;
    UTooltip: typeof Tooltip;
  }
}
