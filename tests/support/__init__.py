"""What tests share: processes and conversations, fake engines and servers, cases and positions."""
