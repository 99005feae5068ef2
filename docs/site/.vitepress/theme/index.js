// The theme: the default one, with colours of its own.

import DefaultTheme from 'vitepress/theme';
import './style.css';

export default DefaultTheme;
