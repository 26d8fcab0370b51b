"""Speed beside other programs and other versions, and mistakes that can be counted."""
